/**
 * The values that the hooks write into the environment of azd, each with the value that stands for "nothing is installed". azd asks for a parameter
 * without a value, so the list of clusters is empty and not absent. azd removes outputs of the templates by itself, and has no command that removes
 * another value.
 */
export const NOTHING_INSTALLED = {
  JOINER_CLUSTER_FACTS: '[]',
  JOINER_APP_DEPLOYED: 'false',
  JOINER_FOUND_HEALTH_TOPIC_ID: '',
} as const

/** No other value may be written: it would stay when Joiner is gone. */
export type HookValues = { readonly [Name in keyof typeof NOTHING_INSTALLED]?: string }
