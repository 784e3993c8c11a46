"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fixedOptions, type Option, type OptionSource } from "#components/ui/option-picker.tsx";
import { affiliateListOptions } from "#lib/affiliates/client.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { deliveryStateLabels, deliveryStates } from "#lib/vocabulary.ts";

const settleMs = 150;

export const useStateOptions: OptionSource = fixedOptions(
  deliveryStates.map((state) => ({ value: state, label: deliveryStateLabels[state] })),
);

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

/** The text once typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
