import { ChevronRight } from "lucide-react";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { headerMeanings } from "#lib/guide/headers.ts";
import { urlSample, type VerifySample, verifySamples } from "#lib/guide/verify-samples.ts";
import { Code, GuideTable } from "./table.tsx";

/** What a webhook carries, and code that verifies it. */
export function VerifySection() {
  return (
    <>
      <p>
        A webhook is signed as{" "}
        <a href="https://www.standardwebhooks.com" className="underline underline-offset-2">
          Standard Webhooks
        </a>{" "}
        says, so their libraries verify it: the HMAC-SHA256 of the id, the timestamp and the exact body,
        joined by dots, under the bytes behind <Code>whsec_</Code>. Verify before you parse, and read the body
        as bytes.
      </p>
      <GuideTable
        caption="Headers of a webhook"
        columns={["Header", "Meaning"]}
        rows={headerMeanings.map(({ name, meaning }) => ({
          key: name,
          cells: [<Code key="name">{name}</Code>, meaning],
        }))}
      />
      <p>
        The secret stands in the environment variable <Code>POSTHORN_SECRET</Code> here; an endpoint's page
        reveals and rotates it. While two are valid every request carries a signature by each, so the receiver
        can change over at any moment before the old one ends.
      </p>
      <div className="flex flex-col gap-2">
        {verifySamples.map((sample, place) => (
          <Sample key={sample.id} sample={sample} title={sample.language} isOpen={place === 0} />
        ))}
      </div>
      <p>
        A postback has no signature unless its endpoint says <b className="font-medium">Sign the URL</b>. Then
        <Code> sig=</Code> is its last parameter: the HMAC-SHA256 in hex of all that stands before it, without
        the <Code>?</Code> or <Code>&amp;</Code> that joins the two. It is made with the newest secret alone.
        To change that without a refusal, pause the endpoint, rotate, let your server know the new secret, and
        resume: what comes meanwhile is kept, and signed when it is sent.
      </p>
      <Sample sample={urlSample} title="A signed postback, TypeScript" isOpen={false} />
    </>
  );
}

function Sample({ sample, title, isOpen }: { sample: VerifySample; title: string; isOpen: boolean }) {
  return (
    <details open={isOpen} className="group rounded-lg border border-line">
      <summary className="flex min-h-10 list-none items-center gap-2 rounded-lg px-3 py-1.5 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
        <span className="font-medium">{title}</span>
      </summary>
      <div className="border-line border-t p-3">
        <CodeBlock text={sample.code} what={`${title} sample`} note={sample.note} />
      </div>
    </details>
  );
}
