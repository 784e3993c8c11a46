import { CircleCheck, CircleDashed, CircleSlash, CircleX, RotateCw } from "lucide-react";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { type RequeueState, requeueStateLabels } from "#lib/vocabulary.ts";

const looks = {
  pending: { tone: "info", icon: CircleDashed },
  running: { tone: "info", icon: RotateCw },
  completed: { tone: "ok", icon: CircleCheck },
  cancelled: { tone: "idle", icon: CircleSlash },
  failed: { tone: "bad", icon: CircleX },
} satisfies Record<RequeueState, PillLook>;

export function RequeueStatePill({ state }: { state: RequeueState }) {
  return <Pill {...looks[state]}>{requeueStateLabels[state]}</Pill>;
}
