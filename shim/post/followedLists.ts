import { secretPathsIn } from '../../shared/wire/kept/mayKeep.ts'
import { KEPT_LISTS, type KeptLists } from '../../shared/wire/kept/told.ts'
import { isKeptLists, wrongInTold } from '../../shared/wire/kept/toldForm.ts'
import type { Log } from '../log.ts'

/** The lists of kept paths that the shim follows: its own until the app tells later ones. */
export interface FollowedLists {
  readonly followed: KeptLists
  /** Follows the lists from now on, if they are later and can be followed. Returns whether it does. Never throws, whatever the app tells. */
  follow(told: unknown): boolean
}

export function createFollowedLists(log: Log): FollowedLists {
  let followed = KEPT_LISTS
  let refused = ''

  /** The app tells its lists in each answer until the shim follows them. */
  function refuse(why: string): false {
    if (why !== refused)
      log.error('the app tells lists that the shim does not follow; it keeps to its lists of kept paths', { because: why })
    refused = why
    return false
  }

  return {
    get followed() {
      return followed
    },
    follow(told) {
      if (!isKeptLists(told)) return refuse(wrongInTold(told) ?? '')
      if (told.number <= followed.number) return false
      const secrets = secretPathsIn(told.kinds)
      if (secrets.length > 0) return refuse(`lists ${told.number} keep what may be a secret: ${secrets.join(', ')}`)
      followed = told
      log.info('the app reads other members of objects; the shim begins again', { lists: told.number })
      return true
    },
  }
}
