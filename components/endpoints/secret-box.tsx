import { CopyButton } from "#components/ui/copy-button.tsx";

export function SecretBox({ secret }: { secret: string }) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-surface px-3 py-2">
      <code className="min-w-0 flex-1 font-mono text-xs break-all">{secret}</code>
      <CopyButton text={secret} what="signing secret" />
    </div>
  );
}
