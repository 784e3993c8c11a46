"use client";

import {
  cloneElement,
  type HTMLAttributes,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from "react";

export type PopoverProps = {
  label: string;
  /** The button that opens it. */
  trigger: ReactElement<HTMLAttributes<HTMLButtonElement>>;
  children: ReactNode;
};

const load = () => import("./popover.tsx");
const RealPopover = lazy(async () => ({ default: (await load()).RealPopover }));

/** What opens below a button and closes beside it. Its code is fetched when somebody reaches for it. */
export function Popover(props: PopoverProps) {
  const [reached, setReached] = useState(false);
  const trigger = cloneElement(props.trigger, {
    "aria-expanded": false,
    "aria-haspopup": "dialog",
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => setReached(true),
  });
  if (!reached) return trigger;
  return (
    <Suspense fallback={trigger}>
      <RealPopover {...props} />
    </Suspense>
  );
}
