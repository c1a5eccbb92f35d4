import type { Rule } from './authorization.ts'

/** Authenticated users may do everything, and all others nothing. */
export const openRule: Rule = (user) => ({ allowed: user.groups.includes('system:authenticated') })
