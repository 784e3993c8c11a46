import { CircleX, TriangleAlert } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { formatNoun } from "#lib/format.ts";
import { type Finding, isWarning, type PartFindings, remedyLabel, type Translation } from "./findings.ts";
import type { Replacement } from "./replace-text.ts";

type FindingListProps = {
  /** Of what describes the text: the findings in full. */
  id: string;
  /** Of which text, for those who do not see where it stands. */
  what: string;
  text: string;
  found: PartFindings;
  onApply: (replacement: Replacement) => void;
  onSecret: (name: string, value: string) => void;
};

/** Everything that is wrong or doubtful, each with the button that puts it right. */
export function FindingList({ id, what, text, found, onApply, onSecret }: FindingListProps) {
  const { findings, translation } = found;
  const faults = findings.filter(({ code }) => !isWarning(code)).length + (translation ? 1 : 0);
  const warnings = findings.length - faults + (translation ? 1 : 0);
  const apply = (finding: Finding) => {
    const { at, length, suggestion } = finding;
    const secret = finding.code === "literal_secret" ? secretName(suggestion) : null;
    if (secret !== null) onSecret(secret, plain(text.slice(at, at + length)));
    onApply({ at, length, text: suggestion ?? "" });
  };
  const counts = [
    faults > 0 ? formatNoun(faults, "fault") : "",
    warnings > 0 ? formatNoun(warnings, "warning") : "",
  ].filter(Boolean);
  const isShown = text !== "" && counts.length > 0;
  return (
    <>
      <p role="status" className="sr-only">
        {isShown ? `${what}: ${counts.join(", ")}.` : ""}
      </p>
      {isShown ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
        <div role="group" aria-label={`Findings in ${what}`}>
          <ul id={id} className="flex flex-col gap-2">
            {translation ? (
              <TranslationOffer
                translation={translation}
                onTake={() => onApply({ at: 0, length: text.length, text: translation.text })}
              />
            ) : null}
            {findings.map((finding) => (
              <FindingItem
                key={`${finding.at} ${finding.length} ${finding.message}`}
                finding={finding}
                onApply={() => apply(finding)}
              />
            ))}
          </ul>
        </div>
      ) : null}
    </>
  );
}

const rowClass = "flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md px-3 py-2";

function FindingItem({ finding, onApply }: { finding: Finding; onApply: () => void }) {
  const label = remedyLabel(finding);
  const isDoubtful = isWarning(finding.code);
  return (
    <li className={`${rowClass} ${isDoubtful ? "bg-warn-tint" : "bg-bad-tint"}`}>
      <FindingText isDoubtful={isDoubtful}>{finding.message}</FindingText>
      {label === null ? null : (
        <Button className="h-auto min-h-7 max-w-full break-all whitespace-normal" onClick={onApply}>
          {label}
        </Button>
      )}
    </li>
  );
}

function FindingText({ isDoubtful, children }: { isDoubtful: boolean; children: string }) {
  const Icon = isDoubtful ? TriangleAlert : CircleX;
  return (
    <p className={`flex min-w-48 flex-1 items-start gap-2 ${isDoubtful ? "text-warn" : "text-bad"}`}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="wrap-anywhere min-w-0">
        <span className="sr-only">{isDoubtful ? "Warning: " : "Fault: "}</span>
        {children}
      </span>
    </p>
  );
}

/** All of a pasted template at once: two ways to write macros never stand side by side. */
function TranslationOffer({ translation, onTake }: { translation: Translation; onTake: () => void }) {
  const { replaced, unknown } = translation;
  return (
    <li className={`${rowClass} bg-bad-tint`}>
      <FindingText isDoubtful={false}>
        This is written for another tracker, and would be sent as it stands. In macros of this endpoint it
        reads:
      </FindingText>
      <dl className="grid w-full grid-cols-[auto_minmax(0,1fr)] gap-x-3 font-mono text-ink text-xs">
        {replaced.slice(0, 30).map(({ from, to }) => (
          <div key={from} className="contents">
            <dt className="wrap-anywhere">{from}</dt>
            <dd className="wrap-anywhere">
              <span aria-hidden>→ </span>
              {to}
            </dd>
          </div>
        ))}
      </dl>
      {unknown.length === 0 ? null : (
        <p className="w-full text-ink-2">
          Not known here, and to be named by hand afterwards: {unknown.slice(0, 10).join(", ")}
        </p>
      )}
      <Button tone="primary" onClick={onTake}>
        Use the translation
      </Button>
    </li>
  );
}

/** `{secret.token}` is called `token`. */
function secretName(macro: string | null): string | null {
  return /^\{secret\.(.+)\}$/.exec(macro ?? "")?.[1] ?? null;
}

/** The value behind a text that may be percent-encoded: secrets are kept plain and encoded where they go. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
