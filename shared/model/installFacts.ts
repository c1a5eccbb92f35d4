/** What is known of the place that Joiner is to be installed in, beside the clusters. What could not be read is absent, and nothing is said of it. */
export type InstallFacts = {
  readonly environmentName?: string
  readonly location?: string
  /** Regions with Flex Consumption, in lower case without spaces. */
  readonly flexRegions?: readonly string[]
  /** Resource providers of the subscription that the templates need: `Registered`, `NotRegistered` and so on. */
  readonly providers: readonly { readonly namespace: string; readonly state: string }[]
  /** What the one who installs may do, by scope. */
  readonly permissions: readonly ScopePermissions[]
  readonly tools: readonly ToolFacts[]
  readonly subnets: readonly SubnetFacts[]
  readonly charts: readonly ChartFacts[]
}

export type ScopePermissions = {
  readonly scope: string
  /** Actions that are needed there. */
  readonly needs: readonly string[]
  /** As ARM tells them: allowed is what an entry has among its actions and not among its notActions. */
  readonly granted: readonly { readonly actions: readonly string[]; readonly notActions: readonly string[] }[]
}

export type ToolFacts = {
  readonly name: string
  /** The oldest that will do, `1.25.0`. */
  readonly least: string
  /** Absent: it is not there. */
  readonly version?: string
  /** How to get it. */
  readonly remedy: string
}

/** A subnet that exists already and is to be used. */
export type SubnetFacts = {
  readonly id: string
  readonly purpose: 'app' | 'endpoints'
  /** Absent: there is none of that id. */
  readonly found?: {
    /** Bits of its prefix: 26 of a /26. */
    readonly bits: number
    readonly delegations: readonly string[]
    /** Who else is in it: ids or names. */
    readonly takenBy: readonly string[]
  }
}

/** A release of our chart that is in a cluster already. */
export type ChartFacts = {
  readonly cluster: string
  readonly release: string
  readonly installed: string
  readonly ours: string
}
