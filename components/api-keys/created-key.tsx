import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import type { ApiKeyCreated } from "#lib/api-keys/schema.ts";

export function CreatedKey({ apiKey, onDone }: { apiKey: ApiKeyCreated; onDone: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} tabIndex={-1} className="flex flex-col gap-4 focus:outline-none">
      <p role="status" className="text-ink-2">
        Copy the key now: only its hash is kept, so it is shown this once and can never be shown again.
      </p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-surface px-3 py-2">
        <code className="min-w-0 flex-1 break-all font-mono text-xs">{apiKey.key}</code>
        <CopyButton text={apiKey.key} what="API key" />
      </div>
      <div className="flex justify-end">
        <Button tone="primary" onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
