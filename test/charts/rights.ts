import { readFileSync } from 'node:fs'
import type { ControlPlane } from '../../local/controlplane/startControlPlane.ts'
import type { Manifest, Rule } from './manifest.ts'

/** One verb on one resource, for example `patch karpenter.sh/nodeclaims/status`. */
export type Right = string

function rightOf(verb: string, group: string, resource: string): Right {
  return `${verb} ${group === '' ? 'core' : group}/${resource}`
}

export function rightsOf(rules: readonly Rule[]): readonly Right[] {
  const all = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => rightOf(verb, group, resource)))),
  )
  return [...new Set(all)].sort()
}

/** All rights that the chart's own roles give to a subject. */
export function grantedTo(subject: string, objects: readonly Manifest[]): readonly Right[] {
  const roles = objects
    .filter(({ subjects = [] }) => subjects.some(({ name }) => name === subject))
    .map(({ roleRef, metadata }) => ({ ...roleRef, namespace: metadata.namespace }))
  return rightsOf(
    roles.flatMap(
      (role) =>
        objects.find(
          ({ kind, metadata }) =>
            kind === role.kind && metadata.name === role.name && (kind !== 'Role' || metadata.namespace === role.namespace),
        )?.rules ?? [],
    ),
  )
}

type AuditLine = {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly impersonatedUser?: { readonly username: string }
  readonly requestURI: string
  readonly requestReceivedTimestamp: string
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly annotations?: { readonly [name: string]: string }
}

export type Audit = { readonly used: readonly Right[]; readonly denied: readonly Right[] }

/** The rights that a subject used and those that it was denied, as the API server's audit log shows. */
export function auditOf({ auditFile, restarts }: Pick<ControlPlane, 'auditFile' | 'restarts'>, subject: string): Audit {
  const lines = readFileSync(auditFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ user, impersonatedUser }) => (impersonatedUser ?? user).username === subject)
    // Only the tests send dry runs, to see whether a policy is in force.
    .filter(({ requestURI }) => !requestURI.includes('dryRun='))
  const rightsIn = (kept: (line: AuditLine) => boolean): readonly Right[] => [...new Set(lines.filter(kept).map(rightUsed))].sort()
  const wasReady = ({ requestReceivedTimestamp }: AuditLine): boolean => {
    const at = Date.parse(requestReceivedTimestamp)
    return !restarts.some(({ from, to }) => from <= at && at <= to)
  }
  // Denied by RBAC or by an admission policy.
  const isDenied = ({ annotations, responseStatus }: AuditLine): boolean =>
    annotations?.['authorization.k8s.io/decision'] !== 'allow' || responseStatus?.code === 403
  return { used: rightsIn((line) => !isDenied(line)), denied: rightsIn((line) => isDenied(line) && wasReady(line)) }
}

function rightUsed({ verb, requestURI, objectRef }: AuditLine): Right {
  if (objectRef === undefined) return `${verb} ${requestURI}`
  const { apiGroup = '', resource = '', subresource } = objectRef
  return rightOf(verb, apiGroup, subresource === undefined ? resource : `${resource}/${subresource}`)
}
