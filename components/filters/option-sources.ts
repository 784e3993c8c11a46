"use client";

import { useQuery } from "@tanstack/react-query";
import { fixedOptions, type Option, type OptionSource } from "#components/ui/option-picker.tsx";
import { affiliateListOptions } from "#lib/affiliates/client.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import {
  deliveryStateLabels,
  deliveryStates,
  reasonSentences,
  reasons,
  statusClasses,
  statusClassLabels,
} from "#lib/vocabulary.ts";
import { useSettled } from "./settled.ts";

export const useStateOptions: OptionSource = fixedOptions(
  deliveryStates.map((state) => ({ value: state, label: deliveryStateLabels[state] })),
);

export const useReasonOptions: OptionSource = fixedOptions(
  reasons.map((reason) => ({ value: reason, label: reasonSentences[reason], detail: reason })),
);

export const useStatusClassOptions: OptionSource = fixedOptions(
  statusClasses.map((value) => ({ value, label: statusClassLabels[value] })),
);

export const useEventTypeOptions: OptionSource = (text, open) => {
  const q = useSettled(text);
  const { data, error, isFetching } = useQuery({ ...eventTypeListOptions(q ? { q } : {}), enabled: open });
  const options = (data?.data ?? []).map(({ name }) => ({ value: name, label: name }));
  return { options, loading: isFetching && !data, error };
};

export const useEndpointOptions: OptionSource = (text, open) => {
  const q = useSettled(text);
  const { data, error, isFetching } = useQuery({ ...endpointListOptions(q ? { q } : {}), enabled: open });
  const options: Option[] = (data?.data ?? []).map(({ id, name, affiliate }) => ({
    value: id,
    label: name,
    detail: affiliate.key,
  }));
  return { options, loading: isFetching && !data, error };
};

export const useAffiliateOptions: OptionSource = (text, open) => {
  const q = useSettled(text);
  const { data, error, isFetching } = useQuery({ ...affiliateListOptions(q ? { q } : {}), enabled: open });
  const options: Option[] = (data?.data ?? []).map(({ key, name }) => ({
    value: key,
    label: name,
    detail: key,
  }));
  return { options, loading: isFetching && !data, error };
};
