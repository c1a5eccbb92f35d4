import type { ValidationRule } from './parts.ts'

/**
 * Rules of the definitions for labels that users may not set or request. The domain of a key is the part before its first slash. As in Karpenter's
 * definitions, a rule tests how the domain ends, so `xkarpenter.sh/a` is refused too.
 */
type RestrictedDomain = { readonly domain: string; readonly allowed: readonly string[] }

const DOMAINS: readonly RestrictedDomain[] = [
  { domain: 'karpenter.sh', allowed: ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'] },
  {
    domain: 'karpenter.azure.com',
    allowed: [
      'aksnodeclass',
      'sku-name',
      'sku-family',
      'sku-series',
      'sku-version',
      'sku-cpu',
      'sku-memory',
      'sku-networking-accelerated',
      'sku-storage-premium-capable',
      'sku-storage-ultra-ssd',
      'sku-storage-ephemeralos-maxsize',
      'sku-gpu-name',
      'sku-gpu-manufacturer',
      'sku-gpu-count',
      'placement-scope',
      'capacity-reservation-id',
    ].map((name) => `karpenter.azure.com/${name}`),
  },
  {
    domain: 'kubernetes.azure.com',
    allowed: [
      'mode',
      'scalesetpriority',
      'priority',
      'fips_enabled',
      'os-sku',
      'cluster',
      'sku-cpu',
      'sku-memory',
      'ebpf-dataplane',
      'ebpf-host-routing',
      'network-policy',
      'hostedvm',
    ].map((name) => `kubernetes.azure.com/${name}`),
  },
]

const OWNED_BY_AKS = ['agentpool', 'storageprofile', 'storagetier', 'accelerator']

const HOSTNAME = 'kubernetes.io/hostname'
const NODE_POOL = 'karpenter.sh/nodepool'
const HOSTNAME_MESSAGE = `the label ${HOSTNAME} is restricted`
const OWNED_MESSAGE = `the labels ${OWNED_BY_AKS.join(', ')} are restricted: AKS sets them`
const NODE_POOL_MESSAGE = `the label ${NODE_POOL} is restricted: it follows from the pool`

function messageOfDomain({ domain, allowed }: RestrictedDomain): string {
  const names = allowed.map((label) => label.slice(domain.length + 1)).join(', ')
  return `labels of the domain ${domain} are restricted; write one of ${names} after ${domain}/, or a label of your own domain (docs/reference.md lists all labels)`
}

/** Rules for one key. `self` is the key. */
export const CLAIM_KEY_RULES: readonly ValidationRule[] = rulesFor('self', (expression) => expression)

export const POOL_KEY_RULES: readonly ValidationRule[] = [...CLAIM_KEY_RULES, nodePoolRule('self', (expression) => expression)]

/** Rules for the keys of a dictionary of labels. */
export const POOL_LABEL_RULES: readonly ValidationRule[] = [...rulesFor('k', everyKey), nodePoolRule('k', everyKey)]

/** Returns the message of the rule that a key breaks, or undefined. The same as the rules, for programs without a CEL engine. */
export function restrictionOf(key: string, of: 'pool' | 'claim'): string | undefined {
  const broken = DOMAINS.find(
    ({ domain, allowed }) => !allowed.includes(key) && new RegExp(`^[^/]*${domain.replaceAll('.', '[.]')}(/|$)`).test(key),
  )
  if (broken !== undefined) return messageOfDomain(broken)
  if (key === HOSTNAME) return HOSTNAME_MESSAGE
  if (OWNED_BY_AKS.includes(key)) return OWNED_MESSAGE
  return of === 'pool' && key === NODE_POOL ? NODE_POOL_MESSAGE : undefined
}

function rulesFor(key: string, wrap: (expression: string) => string): ValidationRule[] {
  return [
    ...DOMAINS.map(({ domain, allowed }) => ({
      rule: wrap(`${key} in ${listed(allowed)} || !${key}.matches('^[^/]*${domain.replaceAll('.', '[.]')}(/|$)')`),
      message: messageOfDomain({ domain, allowed }),
    })),
    { rule: wrap(notOf(key, [HOSTNAME])), message: HOSTNAME_MESSAGE },
    { rule: wrap(notOf(key, OWNED_BY_AKS)), message: OWNED_MESSAGE },
  ]
}

function nodePoolRule(key: string, wrap: (expression: string) => string): ValidationRule {
  return {
    rule: wrap(notOf(key, [NODE_POOL])),
    message: NODE_POOL_MESSAGE,
  }
}

function everyKey(expression: string): string {
  return `self.all(k, ${expression})`
}

function notOf(key: string, names: readonly string[]): string {
  return `!(${key} in ${listed(names)})`
}

function listed(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(', ')}]`
}
