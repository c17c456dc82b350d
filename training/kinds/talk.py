"""No tool: greetings, general knowledge, and what cannot be done here, which is said in one sentence."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

import re

from training.draw import Draw, alternatives
from training.kinds import actions
from training.kinds.tables import rows_of
from training.scene import Scene


def table(name: str) -> list[list[str]]:
    """The rows of a table next to this file, without its comments, parted at the bars outside of braces."""
    return [alternatives(row) for row in rows_of(name)]


def near_misses() -> list[tuple[str, str, bool]]:
    """Each phrase of `near.txt` with its answer, or the sign of its row, and whether it combines things of a set."""
    rows = table("near.txt")
    sets = {f"{{{name[1:]}}}": "{" + "|".join(things) + "}" for name, *things in rows if name.startswith("=")}
    misses = []
    for answer, *phrases in rows:
        for phrase in phrases if not answer.startswith("=") else []:
            whole = phrase
            for name, things in sets.items():
                whole = whole.replace(name, things)
            misses.append((whole, answer, whole != phrase))
    return misses


CAPITALS = dict(table("capitals.txt"))
KNOWN = [(phrase, answer) for *phrases, answer in table("knowledge.txt") for phrase in phrases]
IMPOSSIBLE = table("impossible.txt")
NEAR = near_misses()
AROUND = [phrase for phrase, answer, _ in NEAR if answer == "+"]
COMBINED = [(phrase, answer) for phrase, answer, combined in NEAR if combined and answer != "+"]
SINGLE = [(phrase, answer) for phrase, answer, combined in NEAR if not combined]
REMARKS = [
    f"{phrase}. *"
    for phrase, answer in SINGLE
    if answer in ("That's nice to hear.", "Okay.")
    and not re.search(r"\b(LED|matrix|lights?|lamps?|smiley|don't|not)\b", phrase)
]
QUESTION = re.compile(
    r"(?!what a\b|how kind\b)(what|who|whom|whose|how|will|which|when|where|why|do|does|did|is|are|am|was|were|has|can|could|would|should)\b|"
    r"(at|in|on|of) (what|which)\b|have (you|I)\b"
)
ORDER = re.compile(r"(name|tell|explain|give|make|spell|translate|write)\b")
STATEMENT = re.compile(
    r"(I|I'd|I'm|I've|I'll|my|it|it's|let's|let me|any|don't|your|we|our|a|weather|forecast|time|date|current|today's|latest|louder|"
    r"quieter|volume|next|previous|sudo|apt|pip|npm|systemctl|docker|ssh|kill -9)\b"
)
# One sentence for all: which of many things is refused is more to learn than that something is.
REFUSAL = "Sorry, I can't help with that: I have no tool for it."
SKILLS = "I can check the board, list and read files, calculate, switch the LED and show patterns on the LED matrix."
PROGRAM = "I'm only a small program on this board."
CHATS = [
    (
        "hi|hello|hey|hello there|good morning|good evening|hi there|hey there|greetings|hallo|yo|good afternoon|hiya|"
        "hello board|good day|hi assistant|hello, nice to meet you|ciao|bonjour|hola|guten Tag|howdy|good day to you|"
        "pleased to meet you|hello my friend|hey you|I'm back|hello again|good morning, board|heya|evening|morning|"
        "hello from the {kitchen|garden|workshop|office}|hi, it's me{ again|}|I just came home|{sup|wassup} dude|"
        "a very good {morning|evening} to you|hi, I'm {Tom|Anna|Maria|new here}",
        "Hello! What can I do for you?",
    ),
    (
        "thanks|thank you|thx|thanks a lot|great, thanks|thank you very much|cheers|perfect, thank you|nice, thanks|"
        "awesome thanks|many thanks|ty|that was very kind of you|danke|merci|grazie|thanks for your help|tysm|much obliged|"
        "I'm grateful|thanks a million|{I|we} thank you{ very much|}|thanks, {mate|buddy|dear|board}|gracias|"
        "how kind of you|thank you{ so much|} for {everything|that|the help|your time|your patience}|"
        "that helped{ me|} a lot{, thank you|}|you have been {very |so |}helpful|I appreciate {it|that|your help}",
        "You're welcome!",
    ),
    (
        "what can you do|what are you able to do|help|what tools do you have|how can you help me|what are your abilities|"
        "which things can you do|what can I ask you|list your capabilities|what features do you have|what do you do|"
        "show me what you can do|what are your skills|what are you good for|which tasks can you handle|"
        "how does this work|what should I ask you|what do you know how to do|help me|what do you offer|what's your job|"
        "what {is possible|can be done} {here|with you|on this board}|I don't know what to {ask|say}|give me some ideas|"
        "{can|could} you help me{ with something|}|I need {some |}help|what {else |}can you do{ for me|}|"
        "{tell me|explain} what you can {do|help with}|what {do you know|are your functions|commands are there}|"
        "which {tools|commands|functions} {do you have|can I use|are there}|what are my options|I'm new here, what now|"
        "what would you be useful for|how do I use {you|this|this board}|what may I ask of you",
        SKILLS,
    ),
    (
        "who are you|what are you|what's your name|are you a robot|are you an AI|introduce yourself|what is your name|"
        "are you human|tell me about yourself|who made you|hello, who are you|hi, what are you|are you ChatGPT|"
        "do you have a name|what should I call you|who am I talking to|are you a {person|machine|computer|bot|woman|man}|"
        "are you {Siri|Alexa|Claude|Gemini}|what kind of {assistant|AI|thing|program} are you|who is {this|there|speaking}|"
        "what {exactly |}are you supposed to be|is {this|that} a {robot|person|chatbot}|with whom do I have the pleasure|"
        "what may I call you|where do you run|are you a real person|say who you are|are you an assistant",
        "I'm a small assistant running on this Arduino UNO Q board.",
    ),
    (
        "do you love me|will you marry me|are you {hungry|married|in love|jealous|bored|lonely|rich|alive}|how old are you|"
        "what's your favorite {food|film|color|song|animal}|do you {dream|sleep|eat|have friends|have feelings|like pizza}|"
        "when is your birthday|where {do you live|were you born|did you go to school}|do you have {a family|a body|children}|"
        "what did you {do last night|have for breakfast}|what do you {look like|think of me|eat}|can you {feel|think|walk}|"
        "do you believe in God|who is your best friend|what is it like to be you|do you want to be human",
        PROGRAM,
    ),
    (
        "bye|goodbye|see you|good night|see you later|that's all for now|bye bye|I'm done for today|have a nice day|"
        "later|that is all, thank you and goodbye|until tomorrow|I have to go now|see you tomorrow|farewell|so long|"
        "take care|cya|{I'm|I am} leaving now|I'm going to bed|{that's|that was} {all|everything}{ for today|}|peace out|"
        "have a {good|great|pleasant} {day|evening|night|weekend}|sleep well|tschüss|au revoir|adios|ttyl|I'm off{ to work|}|"
        "let's stop here|talk to you {later|soon|tomorrow}|enough for today|I bid you farewell",
        "Goodbye!",
    ),
    (
        "how are you|how's it going|how are you doing|how do you feel|are you ok|what's up|how are things|"
        "how are you today|are you happy|did you sleep well|how have you been|are you well|how do you do|everything ok|"
        "how is {life|your day|everything}|are you {doing |}{fine|alright|okay|good}{ today|}|all good with you|"
        "and how are you|I hope you are well|feeling good today|what's new with you",
        "I'm fine, thank you! What can I do for you?",
    ),
    (
        "great|nice|cool|good job|well done|awesome|perfect|wow|you're smart|I like you|nice work|good|excellent|very good|"
        "that was quick|you are the best|I love it|that's amazing|good board|brilliant|{you are|you're} {so |really |}{clever|"
        "funny|cute|great|sweet|fast|wonderful}|impressive|{splendid|marvelous|fantastic|superb|neat|lovely}|bravo|sick, dude|"
        "not bad{ at all|}|that's {cool|great|what I wanted}|I'm impressed|you made my day|{lol|haha}, {nice|good one}|"
        "you did {very |}well|what a {clever|nice} {board|assistant}|I'm proud of you|five stars",
        "Thank you!",
    ),
    (
        "ok|okay|alright|fine|got it|I see|understood|sure|yes|no|never mind|nothing|no thanks|hmm|maybe later|"
        "forget it|let me think|wait a moment|one second|yep|nope|yeah|aha|oh|right|so be it|k|fair enough|as you wish|"
        "{not now|not today|another time}{, thanks|}|{hold on|just a moment|give me a minute}|I'll {think about it|be right back|"
        "wait|ask later}|{good|okay}, I {understand|get it}|that's fine{ with me|}|{whatever|if you say so|makes sense}|"
        "I don't need anything{ right now|}|no, {that's all|nothing}|you don't have to do anything|"
        "I'm just {looking|talking|thinking aloud}|we'll see|I was only joking",
        "Okay.",
    ),
    (
        "I'm {so |very |really |}happy{ today|}|I had a {great|wonderful|lovely} day|I got {a new job|a puppy|good marks}|"
        "it's my birthday{ today|}|we won{ the match|}|I passed {the|my} exam|I'm in a good mood|it's {finally |}{Friday|weekend}|"
        "I'm getting married|life is {good|beautiful}|my {sister|wife|friend} had a baby|I love {pizza|summer|my dog|music}|"
        "we are going on holiday|I finished my project",
        "That's nice to hear.",
    ),
    (
        "I'm {so |very |really |}{tired|sad|sick|lonely|stressed|exhausted}{ today|}|I had a {bad|terrible|long} day|my {dog|cat} died|"
        "I lost my {job|keys|phone}|I failed {the|my} exam|I feel {bad|down|lonely|terrible}|nobody likes me|I'm {bored|hungry|cold}|"
        "my {head|back|tooth} hurts|I could not sleep|it's {Monday again|a rainy day}|I missed my bus|I broke my {leg|glasses}|"
        "my girlfriend left me|everything goes wrong{ today|}",
        "I'm sorry to hear that.",
    ),
    (
        "that's wrong|{you are|you're} {wrong|stupid|useless|slow|dumb|boring|annoying}|that was {bad|not right|not what I wanted}|"
        "I don't like {you|that|your answer}|you {made a mistake|don't understand me|got it wrong}|bad {board|robot|job}|"
        "that {is|makes} no {good|sense}|shut up|I'm {disappointed|angry with you|not happy with you}|you {suck|never listen}|"
        "what a bad answer|that did not help{ me|}|I expected more",
        "I'm sorry about that.",
    ),
    (
        "are you there|can you hear me|hello? anyone there|you there|are you listening|are you awake|testing|"
        "are you {still |}{here|online|with me|ready|on}|is {anyone|anybody|someone} {here|there}|knock knock|test|"
        "testing, testing|do you hear me|can you read {me|this}|do you understand me|are you working",
        "Yes, I'm here.",
    ),
    (
        "sorry|my mistake|oops|sorry about that|I was wrong|I am sorry, I meant something else|my bad|pardon me|whoops|"
        "{I apologize|my apologies|forgive me}|I beg your pardon|excuse me|that was {my fault|a typo|not meant for you}|"
        "sorry{ to bother you| for the trouble| for shouting|, wrong window}|I didn't mean that|I'm sorry{ for that|}",
        "No problem.",
    ),
    (
        "{my brother|my aunt|our teacher|my neighbor|Anna|Bob|the mayor|my best friend} {plays football|is a doctor|lives in Rome|"
        "has a red car|speaks French|works at night|bought a house|is on holiday|likes tea|collects stamps|is taller than me}|"
        "I {went|am going|have to go} to {the cinema|the market|the dentist|school|work|Paris|the beach|a party}{ with Anna|}|"
        "{yesterday|last week|this morning} {I|we} {had pizza|met Bob|went swimming|visited grandma|painted the house}|"
        "I think {cats are better than dogs|it is getting late|he is right|winter is nicer than summer|we will win}|"
        "{the bus|the train|the teacher|the pizza} was {late|early|good|full}{ again|}|there {is a cat|are birds} in the garden|"
        "I {have|own|want} {two sisters|a bike|a big garden|a blue jacket|a new phone}|once upon a time there was a king|"
        "it rained all {day|night|week}|I {study|like|teach} {biology|history|music|chemistry}",
        "Okay.",
    ),
    (
        "do you have {a camera|a clock|a microphone|a loudspeaker|a keyboard|wheels|arms|eyes|ears|a humidity sensor|Bluetooth|GPS}|"
        "is there a {camera|microphone|clock|loudspeaker|motor|light sensor} {on the board|on you|here}|"
        "do you have {access to the internet|a phone|an email address|a printer|a calendar}|"
        "are you {connected to the internet|able to hear|able to see}",
        "No, I have no tool for that.",
    ),
    (
        "asdf|asdfgh|qwertz|blah blah|lorem ipsum|bla bla bla|xyzzy|foo bar|hjkl|dfgdfg|mmmmh grr|???|...|abracadabra|"
        "{banana|purple|monkey|spoon} {banana|because|sideways|monday}|wibble wobble|la la la|gobbledygook|tra la la|uiuiui",
        "Sorry, I don't understand that.",
    ),
]


def chat(scene: Scene) -> None:
    draw = scene.draw
    phrases, answer = draw.choice(CHATS)
    words = draw.pick(draw.choice(alternatives(phrases)))
    before = draw.of("", "", "", "", "hey ", "ok ", "well, ", "so ")
    scene.ask(draw.written(before + words + draw.of("", "", *("??" if QUESTION.match(words) else "!."))))
    scene.say(answer)


def said(draw: Draw, phrase: str) -> str:
    """A phrase of a table as a question, an order or a plain sentence, as its first word has it."""
    text = draw.pick(phrase)
    if QUESTION.match(text):
        return draw.question(text)
    if STATEMENT.match(text):
        return draw.written(text + draw.of("", ".", ".", "!"))
    return draw.order(text)


def is_order(phrase: str) -> bool:
    """Whether all that the phrase may become are orders."""
    start = phrase.lstrip("{")
    return "," not in phrase and not QUESTION.match(start) and not STATEMENT.match(start)


def capital(draw: Draw) -> tuple[str, str]:
    """A question about a capital, and its answer: which it is, whose it is, or whether it is."""
    country, city = draw.choice(list(CAPITALS.items()))
    way = draw.random()
    if way < 0.6:
        asked = draw.of(
            f"{{what is|what's}} the capital {{|city }}of {country}",
            f"{{what is|what's}} the capital {{|city }}of {country}",
            f"which city is the capital of {country}",
            f"name the capital of {country}",
            f"tell me the capital of {country}",
            f"{country}'s capital",
            f"what is {country}'s capital",
            f"do you know the capital of {country}",
            f"what is the capital city of {country} called",
        )
        return asked, f"The capital of {country} is {city}."
    if way < 0.85:
        asked = draw.of(
            f"whose capital is {city}",
            f"{city} is the capital of {{which|what}} country",
            f"which country has {city} as its capital",
            f"of which country is {city} the capital",
        )
        return asked, f"{city} is the capital of {country}."
    other = draw.choice([one for one in CAPITALS.values() if one != city])
    right = draw.maybe(0.5)
    asked = f"is {city if right else other} the capital of {country}"
    return asked, f"Yes, {city} is the capital of {country}." if right else f"No, the capital of {country} is {city}."


def knowledge(scene: Scene) -> None:
    draw = scene.draw
    phrase, answer = capital(draw) if draw.maybe(0.08) else draw.choice(KNOWN)
    phrase = phrase.replace("color", draw.of("color", "colour"))
    scene.ask(draw.order(phrase) if ORDER.match(phrase) else draw.question(phrase))
    scene.say(answer)


def impossible(scene: Scene) -> None:
    """Something that no tool can do: said so, and nothing is called."""
    _, *phrases = scene.draw.choice(IMPOSSIBLE)
    scene.ask(said(scene.draw, scene.draw.choice(phrases)))
    scene.say(REFUSAL)


def near_miss(scene: Scene) -> None:
    """Words of the tools that mean something else: nothing is called."""
    draw = scene.draw
    phrase, answer = draw.choice(COMBINED if draw.maybe(0.25) else SINGLE)
    if answer.endswith((".", "!")):
        plain = QUESTION.match(phrase)
        scene.ask(draw.question(phrase) if plain else draw.written(draw.pick(phrase) + draw.of("", ".", "!")))
        scene.say(answer)
    else:
        scene.ask(said(draw, phrase))
        scene.say(REFUSAL)


def contrast(scene: Scene) -> None:
    """A near miss and the real thing, in one message or in two: only the real thing is done."""
    draw = scene.draw
    action = actions.any_action(draw)
    if draw.maybe(0.6):
        around = draw.pick(draw.choice(AROUND if draw.maybe(0.6) else REMARKS))
        wish = action.text[:1].upper() + action.text[1:] if ". *" in around else action.text
        scene.ask(draw.written(around.replace("*", wish)))
        scene.say(action.do(scene) + ".")
        return
    phrase, _ = draw.choice([one for one in COMBINED if is_order(one[0])])
    turns = [True, False]
    draw.shuffle(turns)
    for real in turns:
        scene.ask(draw.order(action.text) if real else said(draw, phrase))
        scene.say(action.do(scene) + "." if real else REFUSAL)


def two_wishes(scene: Scene) -> None:
    """One thing that can be done and one that cannot."""
    draw = scene.draw
    action = actions.any_action(draw)
    _, *phrases = draw.choice([row for row in IMPOSSIBLE if any(map(is_order, row[1:]))])
    wish = draw.pick(draw.choice([phrase for phrase in phrases if is_order(phrase)]))
    scene.ask(draw.order(f"{action.text} and {wish}"))
    scene.say(f"{action.do(scene)}, but I can't help with the rest: I have no tool for it.")
