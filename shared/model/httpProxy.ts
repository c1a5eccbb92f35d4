/** The HTTP proxy of the nodes of a cluster. */
export type HttpProxy = {
  readonly http?: string
  readonly https?: string
  /** Names, addresses and ranges that are reached without the proxy, with those that AKS adds. */
  readonly noProxy: readonly string[]
  /** The exceptions that the cluster itself names. Absent in facts that an older version stored. */
  readonly configuredNoProxy?: readonly string[]
  /** Certificate authority of the proxy: base64 of PEM. */
  readonly trustedCa?: string
}

/**
 * What AKS excepts from the proxy of each node by itself. Stable versions of the API do not tell it (`effectiveNoProxy`). Sources: the node
 * configuration of Azure/AgentBaker, e2e/node_config.go (2026-08-21); a maintainer in kubernetes-sigs/cluster-api-provider-azure#1947 (2022-01).
 */
const ALWAYS_NEAR = ['localhost', '127.0.0.1', '168.63.129.16', '169.254.169.254', 'konnectivity']

/** The proxy with the exceptions that AKS adds: addresses of the machine and of the platform, the API server, and the ranges of pods and services. */
export function exceptNear(proxy: HttpProxy, apiServerUrl: string, ranges: readonly (string | undefined)[]): HttpProxy {
  const apiServer = apiServerUrl.replace(/^https:\/\//, '').replace(/[:/].*$/, '')
  return exceptRanges({ ...proxy, configuredNoProxy: proxy.noProxy }, [
    ...ALWAYS_NEAR,
    apiServer,
    ...ranges.filter((range) => range !== undefined),
  ])
}

/** The proxy with further exceptions, each once. */
export function exceptRanges(proxy: HttpProxy, ranges: readonly string[]): HttpProxy {
  return { ...proxy, noProxy: [...new Set([...proxy.noProxy, ...ranges])] }
}
