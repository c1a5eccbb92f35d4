import type { Api } from '../verbs/api.ts'
import type { Judges } from '../verbs/review.ts'
import { createJudge } from './authorization.ts'
import { bootstrapRule } from './bootstrapRule.ts'
import { BOOTSTRAPPERS } from './bootstrapTokens.ts'
import { openRule } from './openRule.ts'
import { rbacRule, rbacRulesOf } from './rbacRule.ts'

/** Machines with a bootstrap token have a narrow rule of their own. The mode of the server decides about all other users. */
export function judgesFor(api: Api, mode: 'open' | 'rbac'): Judges {
  const machines = bootstrapRule(api)
  const others = mode === 'rbac' ? rbacRule(api.store) : openRule
  return {
    judge: createJudge((user, request) => (user.groups.includes(BOOTSTRAPPERS) ? machines(user, request) : others(user, request))),
    rulesOf: (user, namespace) => {
      if (user.groups.includes('system:masters')) return ALL
      if (user.groups.includes(BOOTSTRAPPERS)) return undefined
      return mode === 'open' ? ALL : rbacRulesOf(api.store, user, namespace)
    },
  }
}

const ALL = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]
