import { err, ok, type Result } from '../../shared/base/result.ts'

/** Labels of the domains of Kubernetes that a kubelet may set on its own node. */
const OWN = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
])
const OWN_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const FOREIGN_DOMAINS = ['kubernetes.io', 'k8s.io']

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Returns the labels that a kubelet registers with, or why it refuses to start with them. */
export function acceptNodeLabels(labels: readonly (readonly [string, string])[]): Result<{ readonly [key: string]: string }, string> {
  const foreign = labels.map(([key]) => key).filter((key) => !mayBeOwn(key))
  if (foreign.length > 0) {
    return err(`unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${foreign.sort().join(' ')}]`)
  }
  for (const [key, value] of labels) {
    const [name = '', domain, ...more] = key.split('/').reverse()
    const isKey = NAME.test(name) && more.length === 0 && (domain === undefined || (domain.length <= 253 && DOMAIN.test(domain)))
    if (!isKey) return err(`invalid node label key "${key}"`)
    if (value !== '' && !NAME.test(value)) return err(`invalid value "${value}" of node label "${key}"`)
  }
  return ok(Object.fromEntries(labels))
}

function mayBeOwn(key: string): boolean {
  const slash = key.indexOf('/')
  const domain = slash < 0 ? '' : key.slice(0, slash)
  return !isIn(domain, FOREIGN_DOMAINS) || isIn(domain, OWN_DOMAINS) || OWN.has(key)
}

function isIn(domain: string, parents: readonly string[]): boolean {
  return parents.some((parent) => domain === parent || domain.endsWith(`.${parent}`))
}
