import { CopyButton } from "./copy-button.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

type CodeBlockProps = { text: string; what: string; note?: string };

/** Text exactly as it is, wrapped but never reformatted or interpreted. */
export function CodeBlock({ text, what, note }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-line bg-surface">
      <CopyButton text={text} what={what} className="absolute top-1 right-1 bg-surface" />
      <ScrollRegion label={what} className="max-h-96 overflow-auto rounded-md">
        <pre className="p-3 pr-9 font-mono text-xs leading-5 break-all whitespace-pre-wrap">{text}</pre>
      </ScrollRegion>
      {note ? <p className="border-line border-t px-3 py-1.5 text-ink-3 text-xs">{note}</p> : null}
    </div>
  );
}
