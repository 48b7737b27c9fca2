import { lowerThreadPriority } from '../platform/background/thread-priority.js';
import { remedyClaimsOf } from './remedy-claim.js';

lowerThreadPriority();

export default remedyClaimsOf;
