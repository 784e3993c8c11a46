import { CopyButton } from "./copy-button.tsx";

/** A link that is shown this once, to be copied. `what` names it: "invitation link". */
export function LinkBox({ url, what }: { url: string; what: string }) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-surface px-3 py-2">
      <code className="min-w-0 flex-1 break-all font-mono text-xs">{url}</code>
      <CopyButton text={url} what={what} />
    </div>
  );
}
