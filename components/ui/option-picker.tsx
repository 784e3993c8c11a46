"use client";

import {
  cloneElement,
  type HTMLAttributes,
  type KeyboardEvent,
  lazy,
  type ReactElement,
  Suspense,
  useState,
} from "react";

export type Option = { value: string; label: string; detail?: string };

/** A hook that gives the options for what was typed, while the picker is open. */
export type OptionSource = (
  text: string,
  open: boolean,
) => { options: Option[]; loading: boolean; error: Error | null };

type PickerProps = {
  /** What is picked, in the singular: "affiliate". */
  noun: string;
  useOptions: OptionSource;
  /** The button that opens it. */
  trigger: ReactElement<HTMLAttributes<HTMLButtonElement>>;
};
type OneProps = { value: Option | null; values?: undefined; onChange: (option: Option) => void };
/** The list stays open while somebody chooses. */
type SeveralProps = { values: Option[]; value?: undefined; onChange: (options: Option[]) => void };
export type OptionPickerProps = PickerProps & (OneProps | SeveralProps);

const load = () => import("./option-combobox.tsx");
const OptionCombobox = lazy(async () => ({ default: (await load()).OptionCombobox }));

/** One choice, or several, from a list that can be searched by typing. Its code is fetched when somebody reaches for it. */
export function OptionPicker(props: OptionPickerProps) {
  const [reached, setReached] = useState(false);
  const trigger = cloneElement(props.trigger, {
    role: "combobox",
    "aria-expanded": false,
    "aria-haspopup": "listbox",
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => setReached(true),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "ArrowDown") setReached(true);
    },
  });
  if (!reached) return trigger;
  return (
    <Suspense fallback={trigger}>
      <OptionCombobox {...props} />
    </Suspense>
  );
}

/** Options that are all known: filtered here by what was typed. */
export function fixedOptions(all: Option[]): OptionSource {
  return (text) => {
    const wanted = text.toLowerCase();
    return {
      options: all.filter(({ label, detail = "" }) => `${label} ${detail}`.toLowerCase().includes(wanted)),
      loading: false,
      error: null,
    };
  };
}
