import { CircleCheck, CircleSlash, CircleX, Hourglass } from "lucide-react";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { type EndpointChangeState, endpointChangeStateLabels } from "#lib/vocabulary.ts";

const looks = {
  pending: { tone: "held", icon: Hourglass },
  approved: { tone: "ok", icon: CircleCheck },
  refused: { tone: "bad", icon: CircleX },
  replaced: { tone: "idle", icon: CircleSlash },
  withdrawn: { tone: "idle", icon: CircleSlash },
} satisfies Record<EndpointChangeState, PillLook>;

export function ChangeStatePill({ state }: { state: EndpointChangeState }) {
  return <Pill {...looks[state]}>{endpointChangeStateLabels[state]}</Pill>;
}
