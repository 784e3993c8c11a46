import { classNames } from "./class-names.ts";
import { CopyButton } from "./copy-button.tsx";

const tailLength = 10;

type MonoProps = { text: string; what: string; className?: string };

/** An id or URL in mono with copy. Where room is short it is cut in the middle, since ids and URLs differ at the end. */
export function CopyableMono({ text, what, className }: MonoProps) {
  return (
    <span
      className={classNames("inline-flex min-w-0 max-w-full items-center gap-0.5 align-middle", className)}
    >
      <MiddleCut text={text} className="font-mono text-xs" />
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** The browser cuts the first part as far as it must; the last characters always stay. */
export function MiddleCut({ text, className }: { text: string; className?: string }) {
  const characters = Array.from(text);
  return (
    <span className={classNames("inline-flex min-w-0", className)} title={text}>
      <span className="truncate">{characters.slice(0, -tailLength).join("")}</span>
      <span className="shrink-0 whitespace-pre">{characters.slice(-tailLength).join("")}</span>
    </span>
  );
}
