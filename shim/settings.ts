/** The rule of a numeric setting. `parseConfig` reads it, and the chart's values schema repeats it. */
export type NumberSetting = {
  readonly mode: 'forwarder' | 'spot' | 'both'
  readonly fallback: number
  readonly least: number
  readonly most: number
  readonly does: string
}

export const NUMBER_SETTINGS = {
  HTTP_PORT: { mode: 'both', fallback: 8080, least: 0, most: 65_535, does: 'port of /healthz, /readyz and /metrics' },
  BATCH_WINDOW_MS: {
    mode: 'forwarder',
    // leaves a quarter of the 100 ms between watch and app for packing and posting
    fallback: 75,
    least: 0,
    most: 10_000,
    does: 'least time between two posts; the first after a pause goes at once; under load, which slower posts show, the pause is longer by up to 300 ms',
  },
  BATCH_MAX_BYTES: {
    mode: 'forwarder',
    fallback: 512 * 1024,
    least: 1024,
    most: 2 * 1024 * 1024,
    does: "bytes of a post; a block of the app's log holds 4 MiB",
  },
  BATCH_MAX_CHANGES: { mode: 'forwarder', fallback: 1_000, least: 1, most: 100_000, does: 'changes of a post' },
  RESEND_INTERVAL_SECONDS: {
    mode: 'forwarder',
    fallback: 300,
    least: 1,
    most: 3_600,
    does: 'how often pods that still wait are sent again; without such pods, the longest time without a post',
  },
  UNSENT_MAX_BYTES: {
    mode: 'forwarder',
    fallback: 16 * 1024 * 1024,
    least: 1024 * 1024,
    most: 1024 * 1024 * 1024,
    does: 'beyond this, unsent changes give way to one fresh snapshot',
  },
  IMDS_POLL_MS: { mode: 'spot', fallback: 1_000, least: 100, most: 60_000, does: 'how often the metadata service is asked' },
} as const satisfies { readonly [name: string]: NumberSetting }

export type NumberSettingName = keyof typeof NUMBER_SETTINGS

export const CLUSTER_SETTING = {
  rule: /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/,
  inWords: 'lower case letters, digits and hyphens, at most 40',
} as const

export const AUDIENCE_FALLBACK = 'api://joiner'
