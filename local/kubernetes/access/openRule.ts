import type { Rule } from './authorization.ts'

/** Whoever is known may do everything; strangers nothing. */
export const openRule: Rule = (user) => ({ allowed: user.groups.includes('system:authenticated') })
