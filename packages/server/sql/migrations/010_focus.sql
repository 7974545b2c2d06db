-- What a person has in focus: the scope of the thread's next message, unless that message names one. Null: nothing.
alter table threads add column focus json;
