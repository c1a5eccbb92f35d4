/** The fields of an object that these tests read. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: { readonly [key: string]: string }
    readonly annotations?: { readonly [key: string]: string }
  }
  readonly spec?: PodTemplateHolder & PodSpec
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[]
}

export type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

type PodTemplateHolder = {
  readonly template?: { readonly metadata?: { readonly labels?: { readonly [key: string]: string } }; readonly spec: PodSpec }
}

export type PodSpec = {
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly securityContext?: SecurityContext
  readonly containers?: readonly Container[]
  readonly volumes?: readonly { readonly [kind: string]: unknown }[]
}

export type Container = {
  readonly name: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[]
  readonly ports?: readonly { readonly hostPort?: number }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly resources?: { readonly limits?: { readonly [resource: string]: string } }
  readonly securityContext?: SecurityContext
}

export type SecurityContext = {
  readonly privileged?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly readOnlyRootFilesystem?: boolean
  readonly procMount?: string
  readonly sysctls?: readonly unknown[]
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] }
  readonly seccompProfile?: { readonly type: string }
}

export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`
}

export function podSpecOf({ kind, spec }: Manifest): PodSpec | undefined {
  return kind === 'Pod' ? spec : spec?.template?.spec
}
