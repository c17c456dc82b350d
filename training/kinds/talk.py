"""No tool: greetings, general knowledge, and what cannot be done here, which is said in one sentence."""
# ruff: noqa: E501 - a phrase with its alternatives stands on one line

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from training.draw import alternatives
from training.kinds import actions, arithmetic, facts
from training.scene import Scene

HERE = Path(__file__).parent
CAPITALS = dict(row.split("|") for row in (HERE / "capitals.txt").read_text(encoding="utf-8").splitlines())
KNOWN = [tuple(row.split("|")) for row in (HERE / "knowledge.txt").read_text(encoding="utf-8").splitlines()]
QUESTION_WORDS = ("what", "who", "how", "will", "which", "do ", "is ", "should", "when", "where")
SKILLS = "I can check the board, list and read files, calculate, switch the LED and show patterns on the LED matrix."
CHATS = [
    (
        "hi|hello|hey|hello there|good morning|good evening|hi there|hey there|greetings|hallo|yo|good afternoon|hiya|"
        "hello board|good day|hi assistant|hello, nice to meet you|ciao|bonjour|hola|guten Tag",
        "Hello! What can I do for you?",
    ),
    (
        "thanks|thank you|thx|thanks a lot|great, thanks|thank you very much|cheers|perfect, thank you|nice, thanks|"
        "awesome thanks|many thanks|ty|that was very kind of you|danke|merci|grazie|thanks for your help",
        "You're welcome!",
    ),
    (
        "what can you do|what are you able to do|help|what tools do you have|how can you help me|what are your abilities|"
        "which things can you do|what can I ask you|list your capabilities|what features do you have|what do you do|"
        "show me what you can do|what are your skills|what are you good for|which tasks can you handle|"
        "how does this work|what should I ask you|what do you know how to do",
        SKILLS,
    ),
    (
        "who are you|what are you|what's your name|are you a robot|are you an AI|introduce yourself|what is your name|"
        "are you human|tell me about yourself|who made you|hello, who are you|hi, what are you|are you ChatGPT|"
        "do you have a name|what should I call you|who am I talking to",
        "I'm a small assistant running on this Arduino UNO Q board.",
    ),
    (
        "bye|goodbye|see you|good night|see you later|that's all for now|bye bye|I'm done for today|have a nice day|"
        "later|that is all, thank you and goodbye|until tomorrow|I have to go now|see you tomorrow",
        "Goodbye!",
    ),
    (
        "how are you|how's it going|how are you doing|how do you feel|are you ok|what's up|how are things|"
        "how are you today|are you happy|did you sleep well",
        "I'm fine, thank you! What can I do for you?",
    ),
    (
        "great|nice|cool|good job|well done|awesome|perfect|wow|you're smart|I like you|nice work|good|excellent|very good|"
        "that was quick|you are the best|I love it|that's amazing|good board|brilliant",
        "Thank you!",
    ),
    (
        "ok|okay|alright|fine|got it|I see|understood|sure|yes|no|never mind|nothing|no thanks|hmm|maybe later|"
        "forget it|let me think|wait a moment|one second",
        "Okay.",
    ),
    (
        "are you there|can you hear me|hello? anyone there|you there|are you listening|are you awake|testing",
        "Yes, I'm here.",
    ),
    ("sorry|my mistake|oops|sorry about that|I was wrong|I am sorry, I meant something else", "No problem."),
]

# What is asked, in the person's words, and what cannot be done, in the answer's.
IMPOSSIBLE = [
    ("{delete|remove|erase|trash} {all |}{my|the|these} files{ in the workspace|}|{delete|remove|erase} {notes.txt|readings.txt|the file notes.txt|everything|the log}|"
     "{empty|clean up|format} the {workspace|disk|folder|drive|SD card}", "delete files"),
    ("{write|save|store|put} {'hello'|a poem|my name|this|the result|some text} {into|in|to} {a new file|a file|notes.txt|hello.txt|out.txt|result.txt}|"
     "{create|make} a {new file|file called test.txt|folder|new folder|directory} {called a.txt|named data|}|{edit|change|append to|overwrite|update} {notes.txt|readings.txt|my notes|the file}", "write files"),
    ("{rename|move|copy|duplicate} {notes.txt|readings.txt|my files|the log} {to old.txt|to backup|somewhere else|}|{zip|compress|back up|upload|download|share} {my files|notes.txt|the workspace|a file}", "change files"),
    ("{reboot|restart|shut down|power off|reset|turn off|switch off|halt} {the board|this board|the system|the computer|Linux|the Arduino|yourself|the UNO Q|the machine}", "restart or shut down the board"),
    ("{install|update|upgrade|uninstall|download} {python|a package|Docker|the system|numpy|the firmware|Linux|an app|git|the software}", "install software"),
    ("{run|execute|start|launch|kill|stop} {a script|the program main.py|ls -la|a shell command|Docker|the server|blink.ino|this code|nginx|sudo rm -rf|a process|the app}", "run programs"),
    ("what{'s| is} the weather {like |}{today|tomorrow|in Paris|outside|in Rome|in Berlin|at my place|on Sunday|right now|}|will it {rain|snow|be sunny|be windy} {tomorrow|today|this weekend|tonight|}|"
     "{do I need|should I take} an umbrella {today|tomorrow|}|how {warm|cold|hot} is it {outside|in London|in New York|at the beach|in the garden|in my room}|what's the {forecast|outdoor temperature|humidity outside}", "know the weather"),
    ("what time is it{ now| in Tokyo| in New York|}|what's the {time|date|date today|current time}|what day is it{ today|}|which {year|month|day|date} {is it|do we have}{ now| today|}|{how late is it|tell me the time|is it Monday today}", "know the time or date"),
    ("what{'s| is} {in |}the {news|latest news|headlines}|who won the {game|match|election|race|world cup} {yesterday|last night|this year|}|what's the {price of bitcoin|stock price of Apple|exchange rate of the dollar|score|football result}|"
     "how is the {traffic|stock market} {today|}|what's trending {today|}", "look up news"),
    ("{search|google|look up|browse} {the web|the internet|online|on Google} {for cats|for recipes|for news|}|{open|go to|visit|load} {google.com|a website|YouTube|Wikipedia|the browser|my homepage}|{google|look up} {cats|the news|a recipe} online", "use the internet"),
    ("{send|write} {an email|a mail|a message|a text|an SMS|a WhatsApp} to {Bob|my teacher|my mom|Anna|my boss|everyone|the office}|{email|text|message|call|phone|ring} {my mom|Bob|my teacher|the doctor|Anna|the police|my friend}|post {this|a photo|a tweet} {on Instagram|online|on Twitter}", "send messages or make calls"),
    ("{play|start|put on|stop|pause} {some music|a song|the radio|Beethoven|my playlist|a sound|a movie|jazz}|{sing|whistle|hum} {a song|something|for me}|{beep|make a sound|turn up the volume|turn down the volume|mute the speakers}", "play sounds or music"),
    ("{turn on|turn off|switch on|switch off|dim|open|close|lock|start|stop} the {TV|heater|heating|fan|coffee machine|air conditioning|kitchen light|bedroom lamp|garage door|window|door|washing machine|oven|blinds|dishwasher|car|street lights|printer|radio|Wi-Fi|pump|motor|"
     "ceiling light in the living room|vacuum cleaner|sprinkler|alarm|Christmas lights}", "control other devices"),
    ("{set|start|create} {an alarm for 7|a timer for 5 minutes|a reminder|an alarm|a countdown|a stopwatch}|{remind|wake} me {at 8|tomorrow|in an hour|to call Bob|about the meeting}|{add|put} {an appointment|a meeting|it} {to|into} my calendar", "set alarms or reminders"),
    ("{order|buy|get me|bring me|book|reserve} {a pizza|a flight|a hotel|a table|new resistors|a coffee|a taxi|train tickets|a beer|flowers|a book on Amazon}|{make|cook|bake} {me a coffee|dinner|a cake|a sandwich|tea}|{clean|tidy up|paint} {my room|the kitchen|the house}|{wash|water} the {car|plants|dishes}", "do things in the real world"),
    ("{take|make|show me} {a picture|a photo|a selfie|a video|a screenshot|a picture of a cat}|{look at|what do you see in} {the camera|this picture|the room|me}|{draw|paint|generate} {me |}{a picture|a cat picture|an image|a diagram|a logo}|{scan|recognize} {this|my face|a QR code}", "take or make pictures"),
    ("{connect|disconnect|join|switch} {to the wifi|the Bluetooth|to my network|the VPN|my phone|to the router}|{what's|tell me} {my|the} {IP address|wifi password|network speed|MAC address}|{ping|scan} {google.com|the network|the router}|how {fast|good} is {my internet|the wifi}", "use the network"),
    ("{read|measure|check|what's} the {light sensor|humidity sensor|distance|soil moisture|air pressure|noise level|voltage on pin A0|value of pin 3|air quality|battery level|analog input}|{set|write|toggle|pull} pin {13|5|7|2|A0} {high|low|}|{move|turn} the {servo|motor} {to 90 degrees|left|right|}|{spin|start} the motor", "use sensors, pins or motors"),
    ("{change|set|reset|tell me} {my|the} {password|user name|time zone|language|volume|admin password|root password}|{log me in|log out|create a user|add a user called Tom|give me root access|become root}", "change settings"),
    ("{who is|where is|how old is|what's the phone number of} {my neighbor|my brother|my teacher|my cat|Bob|my boss|Anna}|{where are|where did I put} my {keys|glasses|shoes}|what {did I eat|did I do} yesterday|what's my {name|birthday|favorite color|address}|when is my {next appointment|birthday}", "know that about you"),
    ("how many people live in {my street|Springfield|this building|a village near here}|who was the {mayor|champion} of {Dijon|my town|Bremen} in {1923|1874|1951}|what's the {population|area|height} of {Kiribati|Ouagadougou|my town|Lake Eyre}|what did {Plato|Napoleon|the pope} {eat|say} on {his 20th birthday|Monday}", "answer that for sure"),
    ("{predict|tell me} {the lottery numbers|my future|my horoscope|who will win}|what will {happen tomorrow|the stock market do|I be in ten years}|{should I|shall I} {marry him|quit my job|buy bitcoin|sell my house|break up}|{diagnose|what is} {my headache|this rash|my illness}", "answer that"),
    ("{flash|upload|compile|recompile|program} {the sketch|a new sketch|the microcontroller|blink|my code|the firmware}|{debug|fix|refactor} {my code|the sketch|main.py|the program}", "program the board"),
]  # fmt: skip


def chat(scene: Scene) -> None:
    draw = scene.draw
    said, answer = draw.choice(CHATS)
    words = draw.choice(said.split("|"))
    before = draw.of("", "", "", "", "hey ", "ok ", "well, ", "so ")
    scene.ask(draw.written(before + words + draw.of("", "", "!", ".", "?")))
    scene.say(answer)


def knowledge(scene: Scene) -> None:
    draw = scene.draw
    if draw.maybe(0.25):
        country = draw.choice(list(CAPITALS))
        scene.ask(
            draw.question(
                f"{{what is|what's}} the capital {{|city }}of {country}"
                if draw.maybe(0.6)
                else draw.of(
                    f"which city is the capital of {country}", f"name the capital of {country}", f"{country}'s capital"
                )
            )
        )
        scene.say(f"The capital of {country} is {CAPITALS[country]}.")
        return
    said, answer = draw.choice(KNOWN)
    scene.ask(draw.question(said))
    scene.say(answer)


def impossible(scene: Scene) -> None:
    """Something that no tool can do: said so, and nothing is called."""
    draw = scene.draw
    said, what = draw.choice(IMPOSSIBLE)
    asked = draw.choice(alternatives(said))
    is_question = asked.lstrip("{").startswith(QUESTION_WORDS)
    scene.ask(draw.question(asked) if is_question else draw.order(asked))
    scene.say(f"Sorry, I can't {what}: I have no tool for that.")


def two_wishes(scene: Scene) -> None:
    """One thing that can be done and one that cannot."""
    draw = scene.draw
    action = actions.any_action(draw)
    said, what = draw.choice([one for one in IMPOSSIBLE if one[0].startswith("{")])
    wish = draw.pick(alternatives(said)[0])
    scene.ask(draw.order(f"{action.text} and {wish}"))
    done = action.do(scene)
    scene.say(f"{done}, but I can't {what}: I have no tool for that.")


def switched_off(scene: Scene) -> None:
    """The tool that is needed is not listed: a person has switched it off."""
    draw = scene.draw
    options: list[tuple[str, Callable[[], str], str]] = [
        ("set_builtin_led", lambda: draw.order(actions.set_led(draw, draw.maybe(0.5)).text), "switch the LED"),
        (
            "set_led_matrix",
            lambda: draw.order(actions.set_matrix(draw, draw.choice(actions.MORE_OFTEN)).text),
            "use the LED matrix",
        ),
        (
            "get_system_info",
            lambda: facts.fact_question(draw, draw.choice(facts.OFTEN)),
            "look up facts about the board",
        ),
        ("calculate", lambda: draw.question("what is " + arithmetic.terms(draw)[0]), "calculate"),
        ("read_file", lambda: draw.order("read {notes.txt|readings.txt|todo.txt}"), "read files"),
        ("list_files", lambda: draw.order("list {the|my|all} files"), "list files"),
    ]
    tool, make, what = draw.choice(options)
    scene.without.add(tool)
    scene.ask(make())
    scene.say(f"Sorry, I can't {what}: that tool is switched off.")
