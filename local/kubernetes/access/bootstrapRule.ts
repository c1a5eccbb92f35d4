import { textAt } from '../object/json.ts'
import type { Api } from '../verbs/api.ts'
import type { ResourceRequest, Rule } from './authorization.ts'
import type { User } from './user.ts'

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'get', 'patch', 'update']

/**
 * What a machine may do with the bootstrap token it was started with: its own node and lease, signing requests, events, and
 * the pods of its node. Everything else is forbidden.
 */
export function bootstrapRule(api: Api): Rule {
  return (user, request) => {
    if ('path' in request) return { allowed: /^\/(api|apis|openapi|version|healthz|readyz|livez)(\/|$)/.test(request.path) }
    const mine = (name: string): boolean => isOwnNode(user, name)
    if (request.subresource !== '' && request.subresource !== 'status') return { allowed: false }
    switch (`${request.plural}.${request.group}`) {
      case 'nodes.':
        if (request.verb === 'list' || request.verb === 'watch') return { allowed: true }
        return { allowed: WRITE.includes(request.verb) && (request.verb === 'create' || mine(request.name)) }
      case 'leases.coordination.k8s.io':
        if (request.namespace !== 'kube-node-lease') return { allowed: false }
        return { allowed: WRITE.includes(request.verb) && (request.verb === 'create' || mine(request.name)) }
      case 'certificatesigningrequests.certificates.k8s.io':
        return { allowed: request.subresource === '' && ['create', ...READ].includes(request.verb) }
      case 'events.':
      case 'events.events.k8s.io':
        return { allowed: ['create', 'patch', 'update'].includes(request.verb) }
      case 'pods.':
        return { allowed: mayTouchPod(api, request, mine) }
      case 'csinodes.storage.k8s.io':
        return { allowed: WRITE.includes(request.verb) && (request.verb === 'create' || mine(request.name)) }
      default:
        return { allowed: READ.includes(request.verb) && READABLE.has(`${request.plural}.${request.group}`) }
    }
  }
}

/** What a kubelet reads besides pods. */
const READABLE = new Set([
  'services.',
  'configmaps.',
  'runtimeclasses.node.k8s.io',
  'csidrivers.storage.k8s.io',
  'persistentvolumes.',
  'persistentvolumeclaims.',
])

/** Pods of the own node: reading lists that select it, writing a status, taking a pod away. */
function mayTouchPod(api: Api, request: ResourceRequest, mine: (node: string) => boolean): boolean {
  if (request.verb === 'list' || request.verb === 'watch') {
    return mine(/(?:^|,)spec\.nodeName==?([^,]+)/.exec(request.fieldSelector)?.[1] ?? '')
  }
  const pod = api.store.get('pods', request.namespace, request.name)
  if (!pod || !mine(textAt(pod, 'spec', 'nodeName'))) return false
  if (request.verb === 'get') return true
  if (request.verb === 'delete') return request.subresource === ''
  return request.subresource === 'status' && (request.verb === 'patch' || request.verb === 'update')
}

/**
 * The token's description names the NodeClaim it was made for, and the node of a claim is `aks-<claim>`. A description that
 * says nothing leaves every `aks-` node open.
 */
export function isOwnNode(user: User, node: string): boolean {
  if (!node.startsWith('aks-')) return false
  const words = (user.claimText ?? '').split(/[^-a-z0-9.]+/i).map((word) => word.replace(/\.$/, ''))
  return words.every((word) => word === '') || words.includes(node.slice('aks-'.length)) || words.includes(node)
}
