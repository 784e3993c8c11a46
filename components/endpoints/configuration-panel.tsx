import Link from "next/link";
import { useIsAffiliate } from "#components/layout/reader.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { TemplateText } from "#components/template-editor/template-text.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { bodyKind } from "#lib/delivery/template/types.ts";
import { retryWords } from "#lib/endpoints/retry-words.ts";
import type { EndpointDetail, Postback } from "#lib/endpoints/schema.ts";
import { filterWords, rateWords, ruleWords } from "#lib/endpoints/setting-words.ts";
import { formatNoun } from "#lib/format.ts";
import { endpointKindLabels, orderingLabels, orderingSentences } from "#lib/vocabulary.ts";

/** Every setting, in words. */
export function ConfigurationPanel({ endpoint }: { endpoint: EndpointDetail }) {
  const isOwner = useIsAffiliate();
  return (
    <Panel title="Configuration">
      <Facts>
        <Fact name="Kind">{endpointKindLabels[endpoint.kind]}</Fact>
        {endpoint.postback ? (
          <PostbackFacts endpoint={endpoint} postback={endpoint.postback} />
        ) : (
          <Fact name="URL">
            <CopyableMono text={endpoint.url} what="URL" />
          </Fact>
        )}
        {isOwner ? null : (
          <Fact name="Affiliate">
            <Link
              href={`/affiliates/${encodeURIComponent(endpoint.affiliate.key)}`}
              prefetch={false}
              className="underline underline-offset-2"
            >
              {endpoint.affiliate.name}
            </Link>{" "}
            <code className="font-mono text-ink-3 text-xs">{endpoint.affiliate.key}</code>
          </Fact>
        )}
        <Fact name="Event types">
          {endpoint.event_types === null ? "All" : endpoint.event_types.join(", ")}
        </Fact>
        <Fact name="Filters">
          <WordList
            words={endpoint.filters.map(filterWords)}
            none="None: every event of these types is sent"
          />
        </Fact>
        <Fact name="Retries">{retryWords(endpoint.retry)}</Fact>
        <Fact name="Timeout">{endpoint.timeout_ms / 1_000} s for the whole answer</Fact>
        <Fact name="At once">{formatNoun(endpoint.concurrency, "request")}</Fact>
        <Fact name="Rate limit">{rateWords(endpoint.rate_limit)}</Fact>
        <Fact name="Order">
          {orderingLabels[endpoint.ordering]}{" "}
          <span className="text-ink-2">({lowerFirst(orderingSentences[endpoint.ordering])})</span>
        </Fact>
        <Fact name="Headers">
          <HiddenValues names={endpoint.headers.map(({ name }) => name)} none="None of its own" />
        </Fact>
        <Fact name="Response rules">
          <WordList
            words={endpoint.response_rules.map(ruleWords)}
            none="None: every status from 200 to 299 is a success"
          />
        </Fact>
        <Fact name="Id">
          <CopyableMono text={endpoint.id} what="endpoint id" />
        </Fact>
        <Fact name="Created">
          <ExactTime iso={endpoint.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function PostbackFacts({ endpoint, postback }: { endpoint: EndpointDetail; postback: Postback }) {
  const { method, content_type, body, sign } = postback;
  const secretNames = endpoint.macro_secrets.map(({ name }) => name);
  return (
    <>
      <Fact name="Template">
        <span className="mr-2 font-mono text-ink-3 text-xs">{method}</span>
        <TemplateText text={endpoint.url} kind="url" className="break-all" />
        <CopyButton text={endpoint.url} what="URL template" className="align-middle" />
      </Fact>
      {body === null ? null : (
        <Fact name="Body">
          <span className="font-mono text-ink-3 text-xs">{content_type}</span>
          <br />
          <TemplateText text={body} kind={bodyKind(content_type)} className="break-all whitespace-pre-wrap" />
        </Fact>
      )}
      {sign ? <Fact name="Signature">sig= at the end of the URL</Fact> : null}
      {secretNames.length === 0 ? null : (
        <Fact name="Template secrets">
          <HiddenValues names={secretNames} none="None" />
        </Fact>
      )}
    </>
  );
}

function HiddenValues({ names, none }: { names: string[]; none: string }) {
  if (names.length === 0) return none;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <code className="font-mono text-xs">{name}</code> <span className="text-ink-3">stored, hidden</span>
        </li>
      ))}
    </ul>
  );
}

/** What nobody set says what holds in its place. */
function WordList({ words: all, none }: { words: string[]; none: string }) {
  const words = [...new Set(all)];
  if (words.length === 0) return none;
  return (
    <ol>
      {words.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ol>
  );
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
