import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pg", "pino"],
  // Types are checked by a step of their own, of everything and not only of the pages.
  typescript: { ignoreBuildErrors: true },
  // Development must write nothing into the project.
  agentRules: false,
};

export default config;
