import { secretPathsIn } from '../../shared/wire/kept/mayKeep.ts'
import { KEPT_LISTS, type KeptLists } from '../../shared/wire/kept/told.ts'
import type { Log } from '../log.ts'

/** The lists of kept paths that the shim follows: its own until the app tells later ones. */
export interface FollowedLists {
  readonly followed: KeptLists
  /** Follows the lists from now on, if they are later. Returns whether it does. */
  follow(lists: KeptLists): boolean
}

export function createFollowedLists(log: Log): FollowedLists {
  let followed = KEPT_LISTS
  let refused = 0
  return {
    get followed() {
      return followed
    },
    follow(lists) {
      if (lists.number <= followed.number || lists.number === refused) return false
      const secrets = secretPathsIn(lists.kinds)
      if (secrets.length > 0) {
        refused = lists.number
        log.error('the app asks for what may be a secret; the shim keeps to its lists of kept paths', {
          lists: lists.number,
          secrets: secrets.join(', '),
        })
        return false
      }
      followed = lists
      log.info('the app reads other members of objects; the shim begins again', { lists: lists.number })
      return true
    },
  }
}
