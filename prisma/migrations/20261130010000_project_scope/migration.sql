-- What an agent keeps from one session to the next: for the agents of one stated owner, in one project. A value can be used
-- only after the transaction that adds it.
ALTER TYPE "MemoryScope" ADD VALUE 'project';
