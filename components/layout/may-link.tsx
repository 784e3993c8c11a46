"use client";

import type { ComponentProps } from "react";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import type { Verb } from "#lib/auth/permissions.ts";
import { useRefusal } from "./reader.tsx";

/** A link to where `verb` is done; for a reader who may not, a button that says why. */
export function MayLink({ verb, ...link }: ComponentProps<typeof ButtonLink> & { verb: Verb }) {
  const refusal = useRefusal(verb);
  if (refusal === null) return <ButtonLink {...link} />;
  return (
    <Button tone={link.tone ?? "plain"} disabledReason={refusal}>
      {link.children}
    </Button>
  );
}
