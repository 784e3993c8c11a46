import { TriangleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import { useReasonWords } from "#components/layout/reason-words.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { compileTemplate, type TracePiece, traceTemplate } from "#lib/delivery/template/render.ts";
import { maxUrlBytes, type TemplateSource } from "#lib/delivery/template/types.ts";
import { formatBytes, formatCount } from "#lib/format.ts";
import { maskPieces, type Sample } from "./sample-event.ts";
import { TraceTable } from "./trace-table.tsx";
import { TracedText } from "./traced-text.tsx";

type PreviewProps = { template: TemplateSource; sample: Sample; sign: boolean };

/** Exactly what would be sent for this event, by the code that renders it when it is sent. */
export function Preview({ template, sample, sign }: PreviewProps) {
  const [active, setActive] = useState<string | null>(null);
  const words = useReasonWords();
  const compiled = useMemo(() => compileTemplate(template), [template]);
  const { result, url, body } = useMemo(() => {
    const trace = traceTemplate(compiled, sample.input);
    const mask = (pieces: TracePiece[]) => maskPieces(pieces, sample.masked);
    return { ...trace, url: mask(trace.url), body: trace.body && mask(trace.body) };
  }, [compiled, sample]);
  const urlText = url.map(({ text }) => text).join("");
  const bodyText = body?.map(({ text }) => text).join("") ?? null;
  const all = [...url, ...(body ?? [])];
  const isMasked = all.some(({ from }) => from && sample.masked.has(from.name));
  return (
    <div className="flex flex-col gap-3">
      {result.kind === "rendered" ? null : (
        <p role="alert" className="flex gap-2 rounded-md bg-warn-tint px-3 py-2 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            {result.kind === "skipped" ? "This event would be skipped" : "This event would be a dead letter"}:{" "}
            {words.sentence(result.reason)}. {words.remedy(result.reason)}
          </span>
        </p>
      )}
      <Sent
        what="Request URL"
        text={urlText}
        note={`${isMasked ? maskedWords : sizeWords(urlText.length)}${sign ? signedWords : ""}`}
      >
        <span className="mr-2 select-none font-sans text-ink-3">{template.method}</span>
        <TracedText pieces={url} what="Exact URL" active={active} onActive={setActive} />
      </Sent>
      {body === null || bodyText === null ? null : (
        <Sent
          what="Request body"
          text={bodyText}
          note={`${template.contentType}, ${isMasked ? maskedWords : byteWords(bodyText)}`}
        >
          <TracedText pieces={body} what="Exact body" active={active} onActive={setActive} />
        </Sent>
      )}
      {result.kind !== "rendered" || result.warnings.length === 0 ? null : (
        <ul aria-label="Warnings of the preview" className="flex flex-col gap-1">
          {result.warnings.map(({ part, at, message }) => (
            <li key={`${part} ${at}`} className="flex gap-2 rounded-md bg-warn-tint px-3 py-2 text-warn">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span className="wrap-anywhere min-w-0">{message}</span>
            </li>
          ))}
        </ul>
      )}
      <TraceTable pieces={all} active={active} onActive={setActive} />
    </div>
  );
}

const maskedWords = "exact, and with its size, once the values are revealed";
/** The browser never has the key. */
const signedWords =
  "; when it is sent it ends in sig=… as well, 64 characters made with the endpoint's secret, which is not known here";

type SentProps = { what: string; text: string; note: string; children: React.ReactNode };

function Sent({ what, text, note, children }: SentProps) {
  return (
    <div className="relative rounded-md border border-line bg-surface">
      <CopyButton text={text} what={what} className="absolute top-1 right-1 bg-surface" />
      <div className="max-h-72 overflow-y-auto p-3 pr-9 font-mono text-xs leading-5">{children}</div>
      <p className="border-line border-t px-3 py-1.5 text-ink-3 text-xs">{note}</p>
    </div>
  );
}

/** A rendered URL is ASCII: its characters are its bytes. */
function sizeWords(bytes: number): string {
  return `${formatCount(bytes)} of ${formatCount(maxUrlBytes)} bytes`;
}

function byteWords(text: string): string {
  return formatBytes(new TextEncoder().encode(text).length);
}
