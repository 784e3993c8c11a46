import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleX,
  Hourglass,
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

function lookOf(delivery: Pick<Delivery, "state" | "held" | "blocked">): {
  tone: PillTone;
  icon: LucideIcon;
} {
  if (delivery.held) return { tone: "held", icon: CirclePause };
  return delivery.blocked ? { tone: "held", icon: Hourglass } : looks[delivery.state];
}

export function DeliveryStatePill({ delivery }: { delivery: Pick<Delivery, "state" | "held" | "blocked"> }) {
  const { tone, icon } = lookOf(delivery);
  return (
    <Pill tone={tone} icon={icon}>
      {deliveryLabel(delivery)}
    </Pill>
  );
}
