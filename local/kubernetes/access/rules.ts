import type { Api } from '../verbs/api.ts'
import type { Rule } from './authorization.ts'
import { bootstrapRule } from './bootstrapRule.ts'
import { BOOTSTRAPPERS } from './bootstrapTokens.ts'
import { openRule } from './openRule.ts'
import { rbacRule } from './rbacRule.ts'

/** Machines with a bootstrap token have their own narrow rule; everyone else is judged as the server was started. */
export function rulesFor(api: Api, mode: 'open' | 'rbac'): Rule {
  const machines = bootstrapRule(api)
  const others = mode === 'rbac' ? rbacRule(api.store) : openRule
  return (user, request) => (user.groups.includes(BOOTSTRAPPERS) ? machines(user, request) : others(user, request))
}
