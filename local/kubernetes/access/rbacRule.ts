import { asText, type Json, listAt, objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import type { Store } from '../store/store.ts'
import type { PathRequest, ResourceRequest, Rule } from './authorization.ts'
import type { User } from './user.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** Role-based access control from the stored roles and bindings. */
export function rbacRule(store: Store): Rule {
  return (user, request) => {
    if ('path' in request && isDiscovery(request.path) && user.groups.includes('system:authenticated')) return { allowed: true }
    if (clusterRules(store, user).some((rule) => allows(rule, request))) return { allowed: true }
    if ('path' in request || request.namespace === '') return { allowed: false }
    return { allowed: namespaceRules(store, user, request.namespace).some((rule) => allows(rule, request)) }
  }
}

/** Returns the rules that a user has in a namespace and in the whole cluster. */
export function rbacRulesOf(store: Store, user: User, namespace: string): readonly Json[] {
  return [...clusterRules(store, user), ...(namespace === '' ? [] : namespaceRules(store, user, namespace))]
}

function isDiscovery(path: string): boolean {
  return /^\/(api|apis|openapi|version|healthz|readyz|livez)(\/.*)?$/.test(path)
}

function clusterRules(store: Store, user: User): readonly Json[] {
  return store
    .list(`clusterrolebindings.${GROUP}`, '')
    .filter((binding) => binds(binding, user))
    .flatMap((binding) => rulesOf(store, binding, ''))
}

function namespaceRules(store: Store, user: User, namespace: string): readonly Json[] {
  return store
    .list(`rolebindings.${GROUP}`, namespace)
    .filter((binding) => binds(binding, user))
    .flatMap((binding) => rulesOf(store, binding, namespace))
}

function rulesOf(store: Store, binding: KubeObject, namespace: string): readonly Json[] {
  const kind = textAt(binding, 'roleRef', 'kind')
  const name = textAt(binding, 'roleRef', 'name')
  const role = kind === 'Role' ? store.get(`roles.${GROUP}`, namespace, name) : store.get(`clusterroles.${GROUP}`, '', name)
  return role ? listAt(role, 'rules') : []
}

function binds(binding: KubeObject, user: User): boolean {
  return listAt(binding, 'subjects').some((subject) => {
    const name = textAt(subject, 'name')
    switch (textAt(subject, 'kind')) {
      case 'User':
        return name === user.name
      case 'Group':
        return user.groups.includes(name)
      case 'ServiceAccount':
        return user.name === `system:serviceaccount:${textAt(subject, 'namespace') || (binding.metadata.namespace ?? '')}:${name}`
      default:
        return false
    }
  })
}

function allows(rule: Json, request: ResourceRequest | PathRequest): boolean {
  const has = (member: string, value: string): boolean => {
    const values = listAt(rule, member)
    return values.includes('*') || values.includes(value)
  }
  if (!has('verbs', request.verb)) return false
  if ('path' in request) return listAt(rule, 'nonResourceURLs').some((pattern) => pathMatches(asText(pattern), request.path))
  const names = listAt(rule, 'resourceNames')
  if (names.length > 0 && !names.includes(request.name)) return false
  return has('apiGroups', request.group) && resourceMatches(listAt(objectAt({ rule }, 'rule'), 'resources'), request)
}

function resourceMatches(resources: readonly Json[], { plural, subresource }: ResourceRequest): boolean {
  const wanted = subresource === '' ? plural : `${plural}/${subresource}`
  return resources.includes('*') || resources.includes(wanted) || (subresource !== '' && resources.includes(`*/${subresource}`))
}

function pathMatches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path
}
