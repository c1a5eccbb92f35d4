/** What is known about the target of an installation, apart from its clusters. Facts that could not be read are absent and not checked. */
export type InstallFacts = {
  readonly environmentName?: string
  readonly location?: string
  /** Regions with Flex Consumption, in lower case without spaces. */
  readonly flexRegions?: readonly string[]
  /** Resource providers of the subscription that the templates need: `Registered`, `NotRegistered` and so on. */
  readonly providers: readonly { readonly namespace: string; readonly state: string }[]
  /** What the caller may do, by scope. */
  readonly permissions: readonly ScopePermissions[]
  readonly tools: readonly ToolFacts[]
  readonly subnets: readonly SubnetFacts[]
  readonly charts: readonly ChartFacts[]
  readonly provisioners: readonly ProvisionerFacts[]
  /** The image of the shim. Absent if it was not asked for. */
  readonly shimImage?: ImageFacts
  /** Absent if there is no app yet, if it works, or if it could not be asked. */
  readonly app?: AppFacts
  readonly systemTopics?: {
    /** Undefined if they could not be read. */
    readonly onSubscription: readonly SystemTopicFacts[] | undefined
    /** An id, `none`, or `new`. Undefined if the preflight is to choose. */
    readonly wish?: string
    /** The resource group of this environment. */
    readonly ownGroup?: string
  }
}

/** An app of an earlier installation that runs and does no work. */
export type AppFacts = {
  readonly name: string
  /** `refused`: it refuses its settings, which `message` names. `empty`: the host has no function for its routes. */
  readonly state: 'refused' | 'empty'
  readonly message?: string
}

/** What the registry answers to the name of an image. */
export type ImageFacts = {
  readonly image: string
  /** `noRegistry`: the registry in which the image is to be built was not found. */
  readonly state: 'found' | 'absent' | 'refused' | 'noRegistry'
  /** Whether the kubelet pulls it with secrets that only the cluster has. */
  readonly hasSecrets: boolean
}

/** An Event Grid topic whose source is the subscription. */
export type SystemTopicFacts = { readonly id: string; readonly topicType: string; readonly hasIdentity: boolean }

export type ScopePermissions = {
  readonly scope: string
  /** Actions that are needed in the scope. */
  readonly needs: readonly string[]
  /** As ARM reports them: an action is allowed if it is among the actions and not among the notActions of an entry. */
  readonly granted: readonly { readonly actions: readonly string[]; readonly notActions: readonly string[] }[]
}

export type ToolFacts = {
  readonly name: string
  /** The oldest version that works, `1.25.0`. */
  readonly least: string
  /** Undefined if the tool is not installed. */
  readonly version?: string
  /** How to install it. */
  readonly remedy: string
}

/** An existing subnet that is to be used. */
export type SubnetFacts = {
  readonly id: string
  readonly purpose: 'app' | 'endpoints'
  /** Undefined if no subnet has this id. */
  readonly found?: {
    /** Prefix length: 26 of a /26. */
    readonly bits: number
    readonly delegations: readonly string[]
    /** Ids or names of the resources in the subnet. */
    readonly takenBy: readonly string[]
  }
}

/** Another program that makes machines for pending pods, and runs in a cluster. */
export type ProvisionerFacts = {
  readonly cluster: string
  readonly name: 'Karpenter' | 'Cluster Autoscaler'
  /** The object that shows it. */
  readonly shownBy: { readonly kind: 'Deployment' | 'Lease'; readonly namespace: string; readonly name: string }
}

/** A release of Joiner's chart that is installed in a cluster. */
export type ChartFacts = {
  readonly cluster: string
  readonly release: string
  readonly installed: string
  readonly ours: string
  /** The address of the app that the chart posts to, if it is not that of this environment. Absent as well if no environment is named. */
  readonly otherApp?: string
}
