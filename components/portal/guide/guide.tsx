import type { ReactNode } from "react";
import { CopyableMono } from "#components/ui/mono.tsx";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import { retrySchedule, retryWords } from "#lib/endpoints/retry-words.ts";
import type { RetryPolicy } from "#lib/endpoints/schema.ts";
import { formatSpan } from "#lib/format.ts";
import { type AnswerKind, answerGroups } from "#lib/guide/answers.ts";
import { GuideCatalogue, OwnMacros } from "./catalogue.tsx";
import { Code, GuideTable } from "./table.tsx";
import { VerifySection } from "./verify-section.tsx";

export type GuideFacts = {
  /** Addresses and networks that requests come from; empty where the operators have not said. */
  sourceAddresses: readonly string[];
  connectTimeoutMs: number;
  defaultTimeoutMs: number;
  keptBodyBytes: number;
};

const parts = [
  { id: "addresses", title: "Where requests come from" },
  { id: "answers", title: "What your server should answer" },
  { id: "retries", title: "When we try again" },
  { id: "repeats", title: "Repeats" },
  { id: "verify", title: "How to verify" },
  { id: "macros", title: "Macros and fields" },
] as const;

/** What the owner of a receiving server has to know, told by the code and the settings that do it. */
export function Guide({ facts }: { facts: GuideFacts }) {
  const content: Record<(typeof parts)[number]["id"], ReactNode> = {
    addresses: <Addresses addresses={facts.sourceAddresses} />,
    answers: <Answers facts={facts} />,
    retries: <Retries />,
    repeats: <Repeats />,
    verify: <VerifySection />,
    macros: <Macros />,
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[12rem_minmax(0,1fr)]">
      <nav aria-label="On this page" className="lg:sticky lg:top-4">
        <ul className="flex flex-wrap gap-x-4 lg:flex-col">
          {parts.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`} className="inline-block py-1 text-ink-2 hover:text-ink hover:underline">
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="flex min-w-0 max-w-3xl flex-col gap-8">
        {parts.map(({ id, title }) => (
          <section
            key={id}
            id={id}
            aria-labelledby={`${id}-title`}
            className="flex scroll-mt-4 flex-col gap-3"
          >
            <h2 id={`${id}-title`} className="font-semibold text-base">
              {title}
            </h2>
            {content[id]}
          </section>
        ))}
      </div>
    </div>
  );
}

function Addresses({ addresses }: { addresses: readonly string[] }) {
  if (addresses.length === 0) {
    return (
      <p>
        The operators have not said which addresses requests come from. If your firewall has to know, ask
        them; what proves that a request is from us is its signature, not its address.
      </p>
    );
  }
  return (
    <>
      <p>
        Let these in if your firewall has to know. What proves that a request is from us is its signature.
      </p>
      <ul aria-label="Source addresses" className="flex flex-wrap gap-x-6 gap-y-1">
        {addresses.map((address) => (
          <li key={address}>
            <CopyableMono text={address} what="address" />
          </li>
        ))}
      </ul>
    </>
  );
}

const consequences = {
  delivered: "Delivered. What the body says does not matter, unless the endpoint has response rules.",
  retried: "Tried again by itself, as long as the retries last.",
  given_up:
    "Given up at once: sending the same again would not help. It can be resent once you have fixed it.",
} satisfies Record<AnswerKind, string>;

function Answers({ facts }: { facts: GuideFacts }) {
  return (
    <>
      <p>
        Answer with a status from 200 to 299 as soon as you have stored what came, and do the work afterwards:
        the whole answer has {formatSpan(facts.defaultTimeoutMs)} unless the endpoint says otherwise, of which
        the connection may take {formatSpan(facts.connectTimeoutMs)}. Redirects are never followed. Of an
        answer {facts.keptBodyBytes / 1_024} KiB are kept for you to look at.
      </p>
      <GuideTable
        caption="What follows from an answer"
        columns={["Status", "What follows"]}
        rows={[
          ...answerGroups().map(({ kind, statuses }) => ({
            key: kind,
            cells: [<Code key="statuses">{statuses}</Code>, consequences[kind]],
          })),
          { key: "none", cells: ["No answer in time, or no connection", consequences.retried] },
          {
            key: "410",
            cells: [
              <Code key="410">410</Code>,
              "Given up, and the endpoint is switched off: nothing more is sent until you give it another URL and resume it.",
            ],
          },
          {
            key: "429",
            cells: [
              <>
                <Code>429</Code> or <Code>503</Code> with <Code>Retry-After</Code>
              </>,
              "Tried again when you say, within a day.",
            ],
          },
        ]}
      />
      <p>
        If most of what is sent fails, we stop for a while and then try with one request. What comes meanwhile
        is kept and goes out once your server works again.
      </p>
    </>
  );
}

function Retries() {
  return (
    <>
      <p>
        Each wait is chosen at random between nothing and the longest shown, so that many do not come at once;
        on average they take half of the time. An endpoint may have another schedule: its page says which.
      </p>
      <h3 className="font-medium text-sm">Postbacks</h3>
      <p className="text-ink-2">{retryWords(retryPresets.patient)}</p>
      <Schedule policy={retryPresets.patient} of="postbacks" />
      <h3 className="font-medium text-sm">Webhooks</h3>
      <p className="text-ink-2">{retryWords(retryPresets.quick)}</p>
      <Schedule policy={retryPresets.quick} of="webhooks" />
    </>
  );
}

function Schedule({ policy, of }: { policy: RetryPolicy; of: string }) {
  return (
    <GuideTable
      caption={`Retry schedule of ${of}`}
      columns={["Attempt", "After the one before, at most", "After the first, at most"]}
      rows={[
        { key: "1", cells: ["1", "at once", ""] },
        ...retrySchedule(policy).map(({ attempt, waitSeconds, sinceFirstSeconds }) => ({
          key: String(attempt),
          cells: [String(attempt), formatSpan(waitSeconds * 1_000), formatSpan(sinceFirstSeconds * 1_000)],
        })),
      ]}
    />
  );
}

function Repeats() {
  return (
    <>
      <p>
        The same event can reach you more than once: when your answer came too late, was lost on its way, or
        somebody resent it. Every attempt carries the same id, in the header <Code>webhook-id</Code> and,
        where a template has it, in <Code>{"{event_id}"}</Code>. Store that id with what you book, under a
        unique index, in the same transaction; when it is there already, answer 200 and do nothing more.
      </p>
      <p>
        For conversions <Code>{"{transaction_id}"}</Code> or <Code>{"{conversion_id}"}</Code> with{" "}
        <Code>{"{status}"}</Code> does the same in most trackers. A test carries the header{" "}
        <Code>posthorn-test: true</Code> and an id that begins with <Code>test_</Code>.
      </p>
    </>
  );
}

function Macros() {
  return (
    <>
      <p>
        In a template <Code>{"{name}"}</Code> stands for a value, percent-encoded once. What an event lacks
        comes out empty, unless the macro has a default: <Code>{"{sub1|none}"}</Code>. Functions come after a
        colon: <Code>{"{status:map(approved=1,declined=2)}"}</Code>, <Code>lower</Code>, <Code>upper</Code>,{" "}
        <Code>sha256</Code>, <Code>md5</Code>, and for times <Code>tz(Europe/Malta)</Code> and{" "}
        <Code>date</Code>. An event without a click id is not sent where the template has{" "}
        <Code>{"{click_id}"}</Code> without a default.
      </p>
      <h3 className="font-medium text-sm">Of every event</h3>
      <OwnMacros />
      <h3 className="font-medium text-sm">Of each type of event</h3>
      <GuideCatalogue />
    </>
  );
}
