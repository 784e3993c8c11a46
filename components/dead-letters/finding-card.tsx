import {
  Clock,
  Gauge,
  KeyRound,
  type LucideIcon,
  MapPinOff,
  PackageX,
  Settings,
  Skull,
  Unplug,
} from "lucide-react";
import Link from "next/link";
import { useId } from "react";
import { MayLink } from "#components/layout/may-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { MiddleCut } from "#components/ui/mono.tsx";
import type { Alert } from "#lib/alerts/schema.ts";
import type { RemedyAction, SettingName } from "#lib/delivery/diagnosis/types.ts";
import { ratePeriodSeconds } from "#lib/delivery/token-bucket.ts";
import { formatCount, formatNoun } from "#lib/format.ts";
import { type FindingKind, findingKindLabels, reasonSentences } from "#lib/vocabulary.ts";
import { ApplySetting } from "./apply-setting.tsx";
import { findingRequeueFilter, lettersHref } from "./list-params.ts";
import { RequeueButton } from "./requeue-button.tsx";

const findingIcons = {
  outage: Unplug,
  credentials: KeyRound,
  rate_limit: Gauge,
  slow_accumulation: Clock,
  refused_payload: PackageX,
  moved: MapPinOff,
  configuration: Settings,
  poison: Skull,
} satisfies Record<FindingKind, LucideIcon>;

/** What one finding is, what shows it, and the buttons that do something about it. */
export function FindingCard({ finding }: { finding: Alert }) {
  const headingId = useId();
  const Icon = findingIcons[finding.kind];
  const { evidence, endpoint, actions } = finding;
  const requeue = actions.find((action) => action.kind === "requeue");
  return (
    <article
      aria-labelledby={headingId}
      className="flex min-w-0 flex-col gap-2.5 rounded-lg border border-line p-4"
    >
      <div className="flex min-w-0 items-start gap-3">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
        <div className="min-w-0 flex-1">
          <h3 id={headingId} className="font-semibold">
            {findingKindLabels[finding.kind]}
          </h3>
          <p className="truncate text-ink-2">
            <Subject finding={finding} />
            <span className="ml-2 text-ink-3">{finding.affiliate.name}</span>
          </p>
        </div>
        <Count finding={finding} filter={requeue?.filter} />
      </div>
      <p>{finding.sentence}</p>
      <ul className="flex flex-wrap gap-x-3 gap-y-1 text-ink-2 text-xs" aria-label="Answers">
        {evidence.answers.slice(0, 4).map(({ reason, status, count }) => (
          <li key={`${reason} ${status}`} title={reasonSentences[reason]}>
            <span className="font-mono">{status ?? reason}</span> × {formatCount(count)}
          </li>
        ))}
        <li className="text-ink-3">
          <RelativeTime iso={evidence.first_at} /> to <RelativeTime iso={evidence.last_at} />
        </li>
        <li className="text-ink-3">
          e.g.{" "}
          {evidence.samples.map((id, index) => (
            <span key={id}>
              {index > 0 ? ", " : ""}
              <Link
                href={`/deliveries/${id}`}
                prefetch={false}
                aria-label={`Delivery ${id}`}
                className="font-mono underline underline-offset-2"
              >
                {id}
              </Link>
            </span>
          ))}
        </li>
      </ul>
      <p className="text-ink-2">{finding.remedy}</p>
      <div className="mt-auto flex flex-wrap items-start gap-2 pt-1">
        {endpoint && endpoint.status !== "deleted" ? (
          <Remedies finding={finding} endpoint={endpoint} />
        ) : (
          <EventLinks actions={actions} />
        )}
      </div>
    </article>
  );
}

function Count({
  finding,
  filter,
}: {
  finding: Alert;
  filter: Parameters<typeof lettersHref>[0] | undefined;
}) {
  const { count, most } = finding.evidence;
  const words = (
    <>
      {formatCount(count)}
      {most > count ? (
        <span className="font-normal text-ink-3 text-sm"> of {formatCount(most)} left</span>
      ) : null}
      <span className="sr-only"> {count === 1 ? "dead letter" : "dead letters"}</span>
    </>
  );
  const look = "shrink-0 font-semibold text-lg leading-5 tracking-tight";
  if (!filter) return <span className={look}>{words}</span>;
  return (
    <Link
      href={lettersHref(filter)}
      prefetch={false}
      className={`${look} underline-offset-2 hover:underline`}
    >
      {words}
    </Link>
  );
}

function Subject({ finding: { endpoint, event_id, event_type, evidence } }: { finding: Alert }) {
  if (endpoint === null) {
    return (
      <>
        {event_id ? (
          <Link
            href={`/events/${encodeURIComponent(event_id)}`}
            prefetch={false}
            className="inline-flex min-w-0 max-w-full align-bottom underline underline-offset-2"
          >
            <MiddleCut text={event_id} className="font-mono text-xs" />
          </Link>
        ) : null}{" "}
        at {formatNoun(evidence.endpoints, "endpoint")}
      </>
    );
  }
  return (
    <>
      {endpoint.status === "deleted" ? (
        `${endpoint.name} (deleted)`
      ) : (
        <Link href={`/endpoints/${endpoint.id}`} prefetch={false} className="underline underline-offset-2">
          {endpoint.name}
        </Link>
      )}
      {event_type ? ` · ${event_type}` : ""}
    </>
  );
}

function Remedies({
  finding: { actions, kind },
  endpoint,
}: {
  finding: Alert;
  endpoint: { id: string; name: string };
}) {
  return actions.map((action) => {
    switch (action.kind) {
      case "set_rate_limit":
      case "set_retry":
      case "set_timeout":
        return <ApplySetting key={action.kind} action={action} endpoint={endpoint} />;
      case "open_setting":
        return (
          <MayLink
            key={action.kind}
            verb={action.setting === "credentials" ? "endpoint.read" : "endpoint.edit"}
            href={settingHref(endpoint.id, action.setting)}
            prefetch={false}
          >
            {settingLabels[action.setting]}
            <span className="sr-only"> of {endpoint.name}</span>
          </MayLink>
        );
      case "requeue":
        return (
          <RequeueButton
            key={action.kind}
            label="Requeue these"
            title={`Requeue dead letters of ${endpoint.name}?`}
            filter={findingRequeueFilter(action.filter)}
            suggestedReason={findingKindLabels[kind]}
            suggestedMode={action.mode}
            {...suggestedRate(actions)}
          />
        );
      default:
        return <EventLinks key={action.kind} actions={[action]} />;
    }
  });
}

function EventLinks({ actions }: { actions: RemedyAction[] }) {
  return actions.map((action) => {
    if (action.kind === "open_event")
      return (
        <ButtonLink key={action.kind} href={`/events/${encodeURIComponent(action.event)}`} prefetch={false}>
          Open the event
        </ButtonLink>
      );
    if (action.kind === "open_event_type")
      return (
        <ButtonLink
          key={action.kind}
          href={`/event-types/${encodeURIComponent(action.event_type)}`}
          prefetch={false}
        >
          Open {action.event_type}
        </ButtonLink>
      );
    return null;
  });
}

/** The rate that the finding suggests for the endpoint is also one to put them back at. */
function suggestedRate(actions: RemedyAction[]): { suggestedRate?: number } {
  const limit = actions.find((action) => action.kind === "set_rate_limit")?.rate_limit;
  if (!limit) return {};
  return {
    suggestedRate: Math.max(0.01, Math.floor((100 * limit.amount) / ratePeriodSeconds[limit.per]) / 100),
  };
}

const settingLabels = {
  url: "Change the URL",
  credentials: "Update the credentials",
  rate_limit: "Set the rate limit",
  retry: "Change the retries",
  timeout: "Change the timeout",
  template: "Open its settings",
} satisfies Record<SettingName, string>;

/** Secrets are rotated on the endpoint's own page; the rest is in its form, some of it folded away. */
function settingHref(id: string, setting: SettingName): string {
  if (setting === "credentials") return `/endpoints/${id}`;
  const isFolded = setting === "rate_limit" || setting === "timeout";
  return `/endpoints/${id}/edit${isFolded ? "#advanced" : ""}`;
}
