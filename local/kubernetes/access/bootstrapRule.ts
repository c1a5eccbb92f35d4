import { ownValue } from '../../../shared/base/values.ts'
import { groupResource } from '../http/statusError.ts'
import { textAt } from '../object/json.ts'
import type { Api } from '../verbs/api.ts'
import type { ResourceRequest, Rule } from './authorization.ts'
import type { User } from './user.ts'

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'get', 'patch', 'update']

/**
 * What a machine may do with its bootstrap token: its own node and lease, signing requests, events, and the pods of its node. Everything else is
 * forbidden.
 */
export function bootstrapRule(api: Api): Rule {
  return (user, request) => {
    if ('path' in request) return { allowed: /^\/(api|apis|openapi|version|healthz|readyz|livez)(\/|$)/.test(request.path) }
    const permit = ownValue(PERMITS, groupResource(request))
    const mine = (name: string): boolean => isOwnNode(user, name)
    const main = request.subresource === '' || request.subresource === 'status'
    return { allowed: main && permit !== undefined && permit({ api, request, mine }) }
  }
}

interface Question {
  readonly api: Api
  readonly request: ResourceRequest
  readonly mine: (node: string) => boolean
}

type Permit = (question: Question) => boolean

const reads: Permit = ({ request }) => READ.includes(request.verb)
/** The name of a new object is in the body and is checked there. */
const ownByName: Permit = ({ request, mine }) => WRITE.includes(request.verb) && (request.verb === 'create' || mine(request.name))
const events: Permit = ({ request }) => ['create', 'patch', 'update'].includes(request.verb)

const PERMITS: { readonly [resource: string]: Permit } = {
  nodes: (question) => question.request.verb === 'list' || question.request.verb === 'watch' || ownByName(question),
  'leases.coordination.k8s.io': (question) => question.request.namespace === 'kube-node-lease' && ownByName(question),
  'csinodes.storage.k8s.io': ownByName,
  'certificatesigningrequests.certificates.k8s.io': ({ request }) =>
    request.subresource === '' && ['create', ...READ].includes(request.verb),
  events,
  'events.events.k8s.io': events,
  pods: ({ api, request, mine }) => mayTouchPod(api, request, mine),
  services: reads,
  configmaps: reads,
  'csidrivers.storage.k8s.io': reads,
  persistentvolumes: reads,
  persistentvolumeclaims: reads,
}

/** Allows pods of the own node: lists that select this node, writing a status, deleting a pod. */
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

const OF_ONE_NODE = 'system:bootstrappers:joiner:'

/** The token of one machine has a group that ends in the name of its node, with colons for dots. A token without such a group fits every node. */
export function isOwnNode({ groups }: User, node: string): boolean {
  const own = groups.filter((group) => group.startsWith(OF_ONE_NODE))
  return own.length === 0 || own.includes(`${OF_ONE_NODE}${node.replaceAll('.', ':')}`)
}
