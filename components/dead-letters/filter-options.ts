"use client";

import { useQuery } from "@tanstack/react-query";
import { fixedOptions, type Option, type OptionSource } from "#components/ui/option-picker.tsx";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import { type Reason, reasonSentences, reasons, statusClasses, statusClassLabels } from "#lib/vocabulary.ts";

export const useStatusClassOptions: OptionSource = fixedOptions(
  statusClasses.map((value) => ({ value, label: statusClassLabels[value] })),
);

export const useReasonOptions: OptionSource = fixedOptions(
  reasons.map((value) => ({ value, label: reasonSentences[value], detail: value })),
);

/** Of one or more reasons, separated by commas. */
export function reasonWords(list: string): string {
  const names = list.split(",");
  const [first = ""] = names;
  if (names.length > 1) return `${names.length} reasons`;
  return Object.hasOwn(reasonSentences, first) ? reasonSentences[first as Reason] : first;
}

export const useEventTypeOptions: OptionSource = (text, open) => {
  const { data, error, isFetching } = useQuery({ ...eventTypeListOptions({ limit: 100 }), enabled: open });
  const wanted = text.toLowerCase();
  const options: Option[] = (data?.data ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ name }) => ({ value: name, label: name }));
  return { options, loading: isFetching && !data, error };
};
