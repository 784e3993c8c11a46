import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Snail,
  TrendingDown,
  Unplug,
} from "lucide-react";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { type EndpointCondition, endpointCondition, endpointConditionLabels } from "#lib/endpoints/words.ts";

const looks = {
  healthy: { tone: "ok", icon: CircleCheck },
  unused: { tone: "idle", icon: CircleDashed },
  slow: { tone: "warn", icon: Snail },
  slowing: { tone: "warn", icon: TrendingDown },
  failing: { tone: "bad", icon: CircleAlert },
  breaker_open: { tone: "bad", icon: Unplug },
  paused: { tone: "held", icon: CirclePause },
  disabled: { tone: "bad", icon: CircleX },
} satisfies Record<EndpointCondition, PillLook>;

export function EndpointStatusPill({
  endpoint,
}: {
  endpoint: Pick<Endpoint, "status" | "health" | "breaker">;
}) {
  const condition = endpointCondition(endpoint);
  return <Pill {...looks[condition]}>{endpointConditionLabels[condition]}</Pill>;
}
