import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleX,
  Hourglass,
  RotateCw,
  Send,
  SkipForward,
} from "lucide-react";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
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
} satisfies Record<DeliveryState, PillLook>;

type Standing = Pick<Delivery, "state" | "held" | "blocked">;

export function DeliveryStatePill({ delivery }: { delivery: Standing }) {
  return <Pill {...lookOf(delivery)}>{deliveryLabel(delivery)}</Pill>;
}

function lookOf({ state, held, blocked }: Standing): PillLook {
  if (held) return { tone: "held", icon: CirclePause };
  return blocked ? { tone: "held", icon: Hourglass } : looks[state];
}
