"use client";

import { type PointerEvent, type ReactNode, useRef, useState } from "react";
import { axisWidth, plotHeight } from "./plot.ts";

const leastDragPx = 6;

type ZoomAreaProps = {
  /** How many points lie beside each other in the plot. */
  count: number;
  onZoom: (first: number, last: number) => void;
  children: ReactNode;
};

/** Drag over a plot to choose the points to look at closely; with the keyboard the time range does the same. */
export function ZoomArea({ count, onZoom, children }: ZoomAreaProps) {
  const area = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ fromPx: number; toPx: number } | null>(null);
  const plotPx = (event: PointerEvent) => {
    const { left = 0, width = 0 } = area.current?.getBoundingClientRect() ?? {};
    return Math.min(Math.max(event.clientX - left, axisWidth), width - 1) - axisWidth;
  };
  const finish = () => {
    const widthPx = (area.current?.clientWidth ?? 0) - axisWidth;
    if (drag && Math.abs(drag.toPx - drag.fromPx) >= leastDragPx) {
      const [first, last] = [drag.fromPx, drag.toPx]
        .sort((a, b) => a - b)
        .map((px) => Math.floor((px / widthPx) * count));
      onZoom(first as number, last as number);
    }
    setDrag(null);
  };
  return (
    <div
      ref={area}
      className="relative cursor-crosshair select-none"
      onPointerDown={(event) => {
        // A finger scrolls the page.
        if (event.button !== 0 || event.pointerType !== "mouse") return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ fromPx: plotPx(event), toPx: plotPx(event) });
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ ...drag, toPx: plotPx(event) });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      {children}
      {drag ? (
        <span
          className="pointer-events-none absolute top-2 border-focus border-x bg-focus/15"
          style={{
            left: axisWidth + Math.min(drag.fromPx, drag.toPx),
            width: Math.abs(drag.toPx - drag.fromPx),
            height: plotHeight - 38,
          }}
        />
      ) : null}
    </div>
  );
}
