import "server-only";
import { cache } from "react";
import { getDelivery } from "./service.ts";

/** Once for each request, for the layout that says whether it is there and the page that shows it. */
export const deliveryForPage = cache(getDelivery);
