"use client";

import { Combobox } from "@base-ui/react/combobox";
import { Check } from "lucide-react";
import { useState } from "react";
import type { Option, OptionPickerProps } from "./option-picker.tsx";

/** The picker itself; it is first shown because somebody pressed its trigger, so it begins open. */
export function OptionCombobox({ noun, useOptions, trigger, ...choice }: OptionPickerProps) {
  const [open, setOpen] = useState(true);
  const [text, setText] = useState("");
  const { options, loading, error } = useOptions(text.trim(), open);
  const status = error ? "The list could not be read." : loading ? "Searching…" : null;
  return (
    <Combobox.Root
      items={options}
      filter={null}
      {...rootProps(choice)}
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        if (!next) setText("");
      }}
      onInputValueChange={(next, { reason }) => {
        if (reason !== "item-press") setText(next);
      }}
      itemToStringLabel={(option: Option) => option.label}
      isItemEqualToValue={(option: Option, selected: Option) => option.value === selected.value}
      autoHighlight
    >
      <Combobox.Trigger render={trigger} />
      <Combobox.Portal>
        <Combobox.Positioner align="start" sideOffset={4} className="z-50">
          <Combobox.Popup
            aria-label={`Choose ${noun}`}
            className="w-72 max-w-(--available-width) rounded-md border border-line bg-raised shadow-popup"
          >
            <Combobox.Input
              placeholder={`Search ${noun}`}
              aria-label={`Search ${noun}`}
              className="h-9 w-full rounded-t-md border-line border-b bg-transparent px-3 focus-visible:outline-none"
            />
            <Combobox.Status className="px-3 text-ink-3 not-empty:py-2">{status}</Combobox.Status>
            <Combobox.Empty className="px-3 text-ink-3 not-empty:py-2">
              {status ? null : text ? `Nothing matches “${text}”.` : "There is nothing to choose from yet."}
            </Combobox.Empty>
            <Combobox.List className="max-h-[min(20rem,calc(var(--available-height)-3rem))] scroll-py-1 overflow-y-auto not-empty:py-1">
              {(option: Option) => (
                <Combobox.Item
                  key={option.value}
                  value={option}
                  className="grid cursor-pointer grid-cols-[1rem_minmax(0,1fr)] items-center gap-x-2 px-3 py-1.5 data-highlighted:bg-hover"
                >
                  <Combobox.ItemIndicator className="col-start-1">
                    <Check aria-hidden className="size-4" />
                  </Combobox.ItemIndicator>
                  <span className="col-start-2 truncate">{option.label}</span>
                  {option.detail ? (
                    <span className="col-start-2 truncate font-mono text-ink-3 text-xs">{option.detail}</span>
                  ) : null}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

type OneRoot = { value: Option | null; onValueChange: (next: Option | null) => void };

/** The root takes one value or several; its types want to know which before it runs. */
function rootProps({
  value,
  values,
  onChange,
}: Pick<OptionPickerProps, "value" | "values" | "onChange">): OneRoot {
  if (values) return { multiple: true, value: values, onValueChange: onChange } as unknown as OneRoot;
  const choose = onChange as (option: Option) => void;
  return { value: value ?? null, onValueChange: (next) => next && choose(next) };
}
