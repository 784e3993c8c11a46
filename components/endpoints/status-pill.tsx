import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  type LucideIcon,
  Unplug,
} from "lucide-react";
import { Pill, type PillTone } from "#components/ui/pill.tsx";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { type EndpointCondition, endpointCondition, endpointConditionLabels } from "#lib/endpoints/words.ts";

const looks = {
  healthy: { tone: "ok", icon: CircleCheck },
  unused: { tone: "idle", icon: CircleDashed },
  failing: { tone: "bad", icon: CircleAlert },
  breaker_open: { tone: "bad", icon: Unplug },
  paused: { tone: "held", icon: CirclePause },
  disabled: { tone: "bad", icon: CircleX },
} satisfies Record<EndpointCondition, { tone: PillTone; icon: LucideIcon }>;

export function EndpointStatusPill({
  endpoint,
}: {
  endpoint: Pick<Endpoint, "status" | "health" | "breaker">;
}) {
  const condition = endpointCondition(endpoint);
  return (
    <Pill tone={looks[condition].tone} icon={looks[condition].icon}>
      {endpointConditionLabels[condition]}
    </Pill>
  );
}
