"use client";

import { Plus } from "lucide-react";
import { lazy, useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import type { ApiKeyCreated } from "#lib/api-keys/schema.ts";
import { CreatedKey } from "./created-key.tsx";

const ApiKeyForm = lazy(async () => ({ default: (await import("./api-key-form.tsx")).ApiKeyForm }));

/** Asks what the key is for, then shows it this once. */
export function CreateApiKey({ tone = "primary" }: { tone?: "primary" | "plain" }) {
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<ApiKeyCreated | null>(null);
  const refusal = useRefusal("api_key.create");
  return (
    <>
      <Button
        tone={tone}
        disabledReason={refusal}
        onClick={() => {
          setMade(null);
          setOpen(true);
        }}
      >
        <Plus aria-hidden />
        Create a key
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={made ? `${made.name} was created` : "Create an API key"}
      >
        {made ? <CreatedKey apiKey={made} onDone={() => setOpen(false)} /> : <ApiKeyForm onMade={setMade} />}
      </Dialog>
    </>
  );
}
