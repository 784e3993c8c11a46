import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleX,
  type LucideIcon,
  RotateCw,
  Send,
  SkipForward,
} from "lucide-react";
import { Pill, type PillTone } from "#components/ui/pill.tsx";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { deliveryLabel } from "#lib/deliveries/words.ts";
import type { DeliveryState } from "#lib/vocabulary.ts";

const looks = {
  pending: { tone: "info", icon: CircleDashed },
  in_flight: { tone: "info", icon: Send },
  failed: { tone: "warn", icon: RotateCw },
  delivered: { tone: "ok", icon: CircleCheck },
  dead_letter: { tone: "bad", icon: CircleX },
  skipped: { tone: "idle", icon: SkipForward },
  discarded: { tone: "idle", icon: CircleSlash },
} satisfies Record<DeliveryState, { tone: PillTone; icon: LucideIcon }>;

export function DeliveryStatePill({ delivery }: { delivery: Pick<Delivery, "state" | "held" | "blocked"> }) {
  const waits = delivery.held || delivery.blocked;
  const { tone, icon } = waits ? { tone: "held" as const, icon: CirclePause } : looks[delivery.state];
  return (
    <Pill tone={tone} icon={icon}>
      {deliveryLabel(delivery)}
    </Pill>
  );
}
