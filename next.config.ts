import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pg", "pino"],
  // The start script owns the build folder so that development never overwrites it.
  typescript: { ignoreBuildErrors: true },
};

export default config;
