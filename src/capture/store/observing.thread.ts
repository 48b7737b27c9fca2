import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { observeForStorage } from './stored-observations.js';

lowerThreadPriority();

export default observeForStorage;
