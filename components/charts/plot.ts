/** Where the plot begins, right of the axis: what lies over or under it is placed by this. */
export const axisWidth = 48;
export const plotHeight = 176;

/** What belongs to a line or a bar of a chart. */
export type ChartSeries = {
  key: string;
  name: string;
  color: string;
  /** Of a line, as in SVG; without one it is solid. */
  dash?: string;
  /** Not drawn: in the table and beside the crosshair only. */
  wordsOnly?: boolean;
  format?: (value: number) => string;
};

/** Null where nothing was measured. */
export type ChartPoint = { label: string; values: Record<string, number | null> };

export type Drawing = "bars" | "lines";
