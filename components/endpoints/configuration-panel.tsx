import { ExactTime } from "#components/layout/time.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { retryWords } from "#lib/endpoints/retry-words.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { rateWords, ruleWords } from "#lib/endpoints/setting-words.ts";
import { formatNoun } from "#lib/format.ts";
import { orderingLabels, orderingSentences } from "#lib/vocabulary.ts";

/** Every setting, in words. */
export function ConfigurationPanel({ endpoint }: { endpoint: EndpointDetail }) {
  return (
    <Panel title="Configuration">
      <Facts>
        <Fact name="URL">
          <CopyableMono text={endpoint.url} what="URL" />
        </Fact>
        <Fact name="Affiliate">
          {endpoint.affiliate.name}{" "}
          <code className="font-mono text-ink-3 text-xs">{endpoint.affiliate.key}</code>
        </Fact>
        <Fact name="Event types">
          {endpoint.event_types === null ? "All" : endpoint.event_types.join(", ")}
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
          <Headers names={endpoint.headers.map(({ name }) => name)} />
        </Fact>
        <Fact name="Response rules">
          <ResponseRules endpoint={endpoint} />
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

function Headers({ names }: { names: string[] }) {
  if (names.length === 0) return "None of its own";
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

function ResponseRules({ endpoint }: { endpoint: EndpointDetail }) {
  const rules = endpoint.response_rules.map(ruleWords);
  if (rules.length === 0) return "None: every status from 200 to 299 is a success";
  return (
    <ol>
      {rules.map((words) => (
        <li key={words}>{words}</li>
      ))}
    </ol>
  );
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
