"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./icon-button.tsx";
import { toastDone, toastFailed } from "./toast.tsx";

const confirmedMs = 1_500;

/** For what has no place to confirm in: a toast says that it was copied. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toastDone(done);
  } catch {
    toastFailed(refused);
  }
}

const refused = "The browser did not allow copying. Select the text and copy it by hand.";

type CopyButtonProps = { text: string; what: string; className?: string };

/** Copies `text`; the icon confirms for a moment. `what` names it: "Copy event id". */
export function CopyButton({ text, what, className = "" }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toastFailed(refused);
    }
  };
  return (
    <>
      <IconButton
        label={`Copy ${what}`}
        onClick={copy}
        className={`size-6 rounded text-ink-3 [&_svg]:size-3.5 ${className}`}
      >
        {copied ? <Check aria-hidden className="text-ok" /> : <Copy aria-hidden />}
      </IconButton>
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  );
}
